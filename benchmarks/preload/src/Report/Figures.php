<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Preload\Report;

/**
 * A piece of the results file. What is asked for has to be there: a page that shows 0 for what was not measured would lie.
 */
final readonly class Figures
{
    /** @param array<array-key, mixed> $content */
    public function __construct(private array $content, private string $where = '') {}

    /** @throws UnableToReadResults */
    public function at(string $key): self
    {
        $value = $this->content[$key] ?? null;

        return is_array($value) ? new self($value, "{$this->where}/{$key}") : throw UnableToReadResults::missing("{$this->where}/{$key}", 'table');
    }

    /**
     * @return array<string, self> by key
     * @throws UnableToReadResults
     */
    public function all(): array
    {
        $all = [];

        foreach (array_keys($this->content) as $key) {
            $all[(string) $key] = $this->at((string) $key);
        }

        return $all;
    }

    /** @throws UnableToReadResults */
    public function number(string $key): float
    {
        $value = $this->content[$key] ?? null;

        // 1e999 is infinite to PHP, and all that is measured here is positive.
        return (is_int($value) || is_float($value)) && is_finite($value) && $value >= 0 ? (float) $value : throw UnableToReadResults::missing("{$this->where}/{$key}", 'number');
    }

    /** @throws UnableToReadResults */
    public function isTrue(string $key): bool
    {
        return is_bool($this->content[$key] ?? null) ? $this->content[$key] : throw UnableToReadResults::missing("{$this->where}/{$key}", 'true or false');
    }

    public function text(string $key): string
    {
        $value = $this->content[$key] ?? null;

        return is_scalar($value) && $value !== '' ? (string) $value : 'unknown';
    }

    /** @return array<string, string> all that is not a table, as php.ini has it */
    public function texts(): array
    {
        $texts = array_map(static fn (mixed $value): string => is_bool($value) ? (string) (int) $value : (string) $value, array_filter($this->content, is_scalar(...)));

        return array_combine(array_map(strval(...), array_keys($texts)), $texts);
    }
}
