<?php

declare(strict_types=1);

namespace Headroom\Preload\Observation;

/**
 * Reads the fields of a file of samples with their types.
 *
 * @internal
 */
final readonly class SampleFields
{
    /** @param array<array-key, mixed> $values */
    public function __construct(private array $values, private string $file) {}

    /** @throws InvalidSamples */
    public function count(string $field): int
    {
        $value = $this->values[$field] ?? null;

        return is_int($value) && $value >= 0 ? $value : throw InvalidSamples::field($this->file, $field, 'a count');
    }

    /**
     * @return array<string, int>
     *
     * @throws InvalidSamples
     */
    public function counts(string $field): array
    {
        return $this->countsOf($this->values[$field] ?? null, $field);
    }

    /**
     * @return array<array-key, array{requests: int, targets: array<string, int>}>
     *
     * @throws InvalidSamples
     */
    public function kinds(string $field): array
    {
        $value = $this->values[$field] ?? null;
        $kinds = [];

        foreach (is_array($value) ? $value : throw InvalidSamples::field(
            $this->file,
            $field,
            'pages by route',
        ) as $kind => $known) {
            $requests = is_array($known) ? $known['requests'] ?? null : null;

            if (! is_array($known) || ! is_int($requests)) {
                throw InvalidSamples::field($this->file, $field, 'pages by route');
            }

            $kinds[$kind] = ['requests' => $requests, 'targets' => $this->countsOf($known['targets'] ?? null, $field)];
        }

        return $kinds;
    }

    /** @return array<string, int> */
    private function countsOf(mixed $value, string $field): array
    {
        $counts = [];

        foreach (is_array($value) ? $value : throw InvalidSamples::field(
            $this->file,
            $field,
            'counts by name',
        ) as $name => $count) {
            $counts[(string) $name] = is_int($count) && $count > 0
                ? $count
                : throw InvalidSamples::field($this->file, $field, 'counts by name');
        }

        return $counts;
    }
}
