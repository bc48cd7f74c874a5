<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Index;

/**
 * A piece of a results file. What is asked for has to be there: a page that shows 0 for what was not measured would lie.
 */
final readonly class Figures
{
    /**
     * @param array<array-key, mixed> $content
     * @param string $where file and path in it, for failures
     */
    public function __construct(private array $content, public string $where) {}

    /** @throws UnableToReadResults */
    public function at(string ...$keys): self
    {
        $piece = $this;

        foreach ($keys as $key) {
            $piece = $piece->find($key) ?? throw UnableToReadResults::missing($piece->path($key), 'table');
        }

        return $piece;
    }

    /** For what a run may leave out. */
    public function find(string $key): ?self
    {
        $value = $this->content[$key] ?? null;

        return is_array($value) ? new self($value, $this->path($key)) : null;
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

    /**
     * The row whose member has this value.
     *
     * @throws UnableToReadResults
     */
    public function row(string $member, string $value): ?self
    {
        foreach ($this->all() as $row) {
            if ($row->text($member) === $value) {
                return $row;
            }
        }

        return null;
    }

    /** @throws UnableToReadResults */
    public function number(string $key): float
    {
        return $this->numberOrNull($key) ?? throw UnableToReadResults::missing($this->path($key), 'number');
    }

    /**
     * For what has no value where nothing was valid.
     *
     * @throws UnableToReadResults
     */
    public function numberOrNull(string $key): ?float
    {
        $value = $this->content[$key] ?? null;

        // 1e999 is infinite to PHP.
        return match (true) {
            $value === null && array_key_exists($key, $this->content) => null,
            (is_int($value) || is_float($value)) && is_finite($value) => (float) $value,
            default => throw UnableToReadResults::missing($this->path($key), 'number'),
        };
    }

    /** @throws UnableToReadResults */
    public function isTrue(string $key): bool
    {
        $value = $this->content[$key] ?? null;

        return is_bool($value) ? $value : throw UnableToReadResults::missing($this->path($key), 'true or false');
    }

    /** @throws UnableToReadResults */
    public function text(string $key): string
    {
        $value = $this->content[$key] ?? null;

        return is_scalar($value) ? (string) $value : throw UnableToReadResults::missing($this->path($key), 'text');
    }

    /** @return list<string> */
    public function keys(): array
    {
        return array_map(strval(...), array_keys($this->content));
    }

    private function path(string $key): string
    {
        return "{$this->where}/{$key}";
    }
}
