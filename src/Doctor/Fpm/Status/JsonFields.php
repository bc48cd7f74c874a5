<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Status;

/**
 * A JSON object, read by field: a field that is missing or has another type is null.
 *
 * @internal
 */
final readonly class JsonFields
{
    /** @param array<array-key, mixed> $values */
    public function __construct(private array $values) {}

    public function has(string $name): bool
    {
        return array_key_exists($name, $this->values);
    }

    /** FPM's counters are unsigned: a number that became a float has overflowed. */
    public function count(string $name): ?int
    {
        $value = $this->values[$name] ?? null;

        return is_int($value) && $value >= 0 ? $value : null;
    }

    public function number(string $name): ?float
    {
        $value = $this->values[$name] ?? null;

        return is_int($value) || is_float($value) ? (float) $value : null;
    }

    /** FPM writes "-" for an empty value. */
    public function text(string $name): ?string
    {
        $value = $this->values[$name] ?? null;

        return is_string($value) && $value !== '-' ? $value : null;
    }

    public function truth(string $name): ?bool
    {
        $value = $this->values[$name] ?? null;

        return is_bool($value) ? $value : null;
    }

    /** Empty if it is missing. */
    public function object(string $name): self
    {
        $value = $this->values[$name] ?? null;

        return new self(is_array($value) ? $value : []);
    }

    /** @return list<self> */
    public function objects(string $name): array
    {
        $value = $this->values[$name] ?? null;

        return array_map(
            static fn (array $object): self => new self($object),
            array_values(array_filter(is_array($value) ? $value : [], is_array(...))),
        );
    }

    /** @return list<string> */
    public function texts(string $name): array
    {
        $value = $this->values[$name] ?? null;

        return array_values(array_filter(is_array($value) ? $value : [], is_string(...)));
    }

    /** @return array<string, string> scalars as an ini file has them: truths as 1 and 0, null as nothing */
    public function strings(string $name): array
    {
        $value = $this->values[$name] ?? null;
        $strings = [];

        foreach (is_array($value) ? $value : [] as $key => $entry) {
            if (is_scalar($entry) || $entry === null) {
                $strings[(string) $key] = is_bool($entry) ? (string) (int) $entry : (string) $entry;
            }
        }

        return $strings;
    }
}
