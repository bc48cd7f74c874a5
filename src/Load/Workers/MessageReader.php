<?php

declare(strict_types=1);

namespace Headroom\Load\Workers;

use Headroom\Load\UnableToLoad;

/**
 * Reads the members of a message. It refuses a message with a missing member, which would make a figure too small.
 *
 * @internal
 */
final readonly class MessageReader
{
    /** @param array<array-key, mixed> $members */
    private function __construct(private array $members) {}

    /** @throws UnableToLoad */
    public static function of(mixed $value): self
    {
        return is_array($value) ? new self($value) : throw UnableToLoad::garbled();
    }

    public function int(string|int $key): int
    {
        $value = $this->members[$key] ?? null;

        return is_int($value) ? $value : throw UnableToLoad::garbled();
    }

    public function float(string $key): float
    {
        $value = $this->members[$key] ?? null;

        return is_int($value) || is_float($value) ? (float) $value : throw UnableToLoad::garbled();
    }

    public function isTrue(string $key): bool
    {
        return ($this->members[$key] ?? null) === true;
    }

    public function text(string $key): string
    {
        return $this->optionalText($key) ?? throw UnableToLoad::garbled();
    }

    public function optionalText(string $key): ?string
    {
        $value = $this->members[$key] ?? null;

        return is_string($value) ? $value : null;
    }

    public function optionalInt(string $key): ?int
    {
        return isset($this->members[$key]) ? $this->int($key) : null;
    }

    public function at(string|int $key): self
    {
        return self::of($this->members[$key] ?? null);
    }

    public function optional(string $key): ?self
    {
        return isset($this->members[$key]) ? $this->at($key) : null;
    }

    /** @return list<self> */
    public function items(string $key): array
    {
        return array_map(self::of(...), array_values($this->at($key)->members));
    }

    /** @return array<string, int> */
    public function counts(string|int $key): array
    {
        $counts = [];

        foreach ($this->at($key)->members as $name => $count) {
            $counts[(string) $name] = is_int($count) ? $count : throw UnableToLoad::garbled();
        }

        return $counts;
    }

    /** @return array<int, int> */
    public function numbered(string|int $key): array
    {
        $counts = [];

        foreach ($this->at($key)->members as $number => $count) {
            $counts[(int) $number] = is_int($count) ? $count : throw UnableToLoad::garbled();
        }

        return $counts;
    }
}
