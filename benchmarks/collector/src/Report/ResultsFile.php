<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector\Report;

use JsonException;

/**
 * What a run wrote, by parts.
 */
final readonly class ResultsFile
{
    /** @param array<string, MeasuredPart> $parts */
    private function __construct(public string $name, public bool $isQuick, private array $parts) {}

    /** @throws UnableToReadResults */
    public static function read(string $path): self
    {
        return is_file($path) ? self::fromJson(basename($path), (string) file_get_contents($path)) : throw UnableToReadResults::missing($path);
    }

    /** @throws UnableToReadResults */
    public static function fromJson(string $name, string $json): self
    {
        try {
            $results = json_decode($json, true, flags: JSON_THROW_ON_ERROR);
        } catch (JsonException $failure) {
            throw UnableToReadResults::notJson($name, $failure->getMessage());
        }

        $parts = is_array($results) && is_array($results['parts'] ?? null) ? $results['parts'] : throw UnableToReadResults::notJson($name, 'it has no "parts"');
        $measured = [];

        foreach ($parts as $part => $is) {
            Part::tryFrom((string) $part) ?? throw UnableToReadResults::unknownPart((string) $part);
            $measured[(string) $part] = new MeasuredPart((string) $part, is_array($is) ? $is : []);
        }

        return new self($name, ($results['quick'] ?? false) === true, $measured);
    }

    public function part(Part $part): ?MeasuredPart
    {
        return $this->parts[$part->value] ?? null;
    }

    /** @return list<MeasuredPart> in the order of the report */
    public function measured(): array
    {
        return array_values(array_filter(array_map($this->part(...), Part::cases())));
    }
}
