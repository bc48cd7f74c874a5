<?php

declare(strict_types=1);

namespace Headroom\Bench\Results;

use BackedEnum;

/**
 * A table of a results file, with its place in it. What is asked for has to be there, and to be of its kind: a report
 * that shows 0 for what was not measured lies. What nobody asks for may be anything.
 *
 * @internal
 */
final readonly class Piece
{
    /** Nothing here is measured to be more, and the sum of as many as a file may hold is still a whole number. */
    public const MOST = 1_000_000_000_000_000;

    /** What is shorter than a nanosecond was not measured. */
    public const LEAST = 0.000_000_001;

    /**
     * @param array<array-key, mixed> $content
     * @param list<string> $path keys, from the outermost on
     */
    private function __construct(private array $content, private Origin $origin, private array $path) {}

    /** @param array<array-key, mixed> $content */
    public static function of(array $content, Origin $origin): self
    {
        return new self($content, $origin, []);
    }

    /** @throws UnableToReadResults */
    public function at(string ...$keys): self
    {
        $piece = $this;

        foreach ($keys as $key) {
            $piece = $piece->find($key) ?? throw $piece->wrong($key, 'a table');
        }

        return $piece;
    }

    /**
     * For what a run may leave out, or find nothing for.
     *
     * @throws UnableToReadResults when something else stands there
     */
    public function find(string $key): ?self
    {
        $value = $this->content[$key] ?? null;

        return match (true) {
            $value === null => null,
            is_array($value) => new self($value, $this->origin, [...$this->path, $key]),
            default => throw $this->wrong($key, 'a table'),
        };
    }

    /**
     * @return array<string, self> by name
     * @throws UnableToReadResults
     */
    public function all(): array
    {
        return array_map(fn (string $key): self => $this->at($key), $this->names());
    }

    /**
     * @return list<self>
     * @throws UnableToReadResults
     */
    public function list(string $key): array
    {
        $list = $this->at($key);

        return array_is_list($list->content)
            ? array_map(static fn (string $at): self => $list->at($at), $list->keys())
            : throw $this->wrong($key, 'a list');
    }

    /**
     * @return list<string>
     * @throws UnableToReadResults
     */
    public function lines(string $key): array
    {
        $list = $this->at($key);

        return array_is_list($list->content)
            ? array_map($list->text(...), $list->keys())
            : throw $this->wrong($key, 'a list');
    }

    /**
     * A list of tables with something in it, of which each has another name.
     *
     * @param string $member that has the name
     * @return non-empty-list<self>
     * @throws UnableToReadResults
     */
    public function rows(string $key, string $member): array
    {
        $rows = $this->list($key);
        $seen = [];

        foreach ($rows as $row) {
            $name = $row->label($member);
            $seen[$name] = isset($seen[$name]) ? throw $row->wrong($member, 'a name that no row above it has') : true;
        }

        return $rows === [] ? throw $this->wrong($key, 'a list with something in it') : $rows;
    }

    /**
     * The row of that name among those of a list.
     *
     * @throws UnableToReadResults
     */
    public function row(string $key, string $member, string $name): ?self
    {
        foreach ($this->at($key)->content === [] ? [] : $this->rows($key, $member) as $row) {
            if ($row->label($member) === $name) {
                return $row;
            }
        }

        return null;
    }

    /**
     * @param float $least what is measured is hardly ever below nothing
     * @throws UnableToReadResults
     */
    public function number(string $key, float $least = 0.0): float
    {
        $value = $this->content[$key] ?? null;

        // 1e999 is infinite to PHP.
        return (is_int($value) || is_float($value)) && $value >= $least && $value <= self::MOST
            ? (float) $value
            : throw $this->wrong($key, self::range('a number', $least));
    }

    /**
     * For what has no value where nothing was valid; it is null then, and not left out, as what was forgotten is.
     *
     * @throws UnableToReadResults
     */
    public function numberOrNull(string $key, float $least = 0.0): ?float
    {
        return $this->isNull($key) ? null : $this->number($key, $least);
    }

    /**
     * @return ($least is int<1, max> ? int<1, max> : int<0, max>)
     * @throws UnableToReadResults
     */
    public function whole(string $key, int $least = 0): int
    {
        $value = $this->content[$key] ?? null;

        return is_int($value) && $value >= $least && $value >= 0 && $value <= self::MOST
            ? $value
            : throw $this->wrong($key, self::range('a whole number', $least));
    }

    /**
     * @return ?int<0, max>
     * @throws UnableToReadResults
     */
    public function wholeOrNull(string $key, int $least = 0): ?int
    {
        return $this->isNull($key) ? null : $this->whole($key, max(0, $least));
    }

    /** @throws UnableToReadResults */
    public function isNull(string $key): bool
    {
        return array_key_exists($key, $this->content)
            ? $this->content[$key] === null
            : throw $this->wrong($key, 'a value or null');
    }

    /** @throws UnableToReadResults */
    public function isTrue(string $key): bool
    {
        $value = $this->content[$key] ?? null;

        return is_bool($value) ? $value : throw $this->wrong($key, 'true or false');
    }

    /** @throws UnableToReadResults */
    public function text(string $key): string
    {
        $value = $this->content[$key] ?? null;

        return is_string($value) ? $value : throw $this->wrong($key, 'text');
    }

    /**
     * Text or number that something is called by.
     *
     * @throws UnableToReadResults
     */
    public function label(string $key): string
    {
        $value = $this->content[$key] ?? null;

        return (is_string($value) || is_int($value)) && trim((string) $value) !== ''
            ? (string) $value
            : throw $this->wrong($key, 'a name');
    }

    /**
     * @template Case of BackedEnum
     * @param class-string<Case> $enum
     * @return Case
     * @throws UnableToReadResults
     */
    public function one(string $key, string $enum): BackedEnum
    {
        return $enum::tryFrom($this->text($key))
            ?? throw $this->wrong($key, 'one of '.implode(', ', array_column($enum::cases(), 'value')));
    }

    /**
     * @return array<string, string> by name
     * @throws UnableToReadResults
     */
    public function texts(): array
    {
        return array_map($this->text(...), $this->names());
    }

    /**
     * @return array<string, int<0, max>> by whatever was counted
     * @throws UnableToReadResults
     */
    public function counts(): array
    {
        return array_map(fn (string $key): int => $this->whole($key), array_combine($this->keys(), $this->keys()));
    }

    /**
     * @return list<float>
     * @throws UnableToReadResults
     */
    public function numbers(float $least = 0.0): array
    {
        return array_map(fn (string $key): float => $this->number($key, $least), $this->keys());
    }

    /** @return list<string> */
    public function keys(): array
    {
        return array_map(strval(...), array_keys($this->content));
    }

    public function has(string $key): bool
    {
        return array_key_exists($key, $this->content);
    }

    /** Whatever stands there, null also where nothing does: for what is looked at no further. */
    public function value(string $key): mixed
    {
        return $this->content[$key] ?? null;
    }

    /** @param string $wanted such as "a number" */
    public function wrong(string $key, string $wanted): UnableToReadResults
    {
        return UnableToReadResults::wrong(
            $this->origin,
            [...$this->path, $key],
            $this->has($key) ? 'is '.Seen::words($this->content[$key]) : 'is not there',
            $wanted,
        );
    }

    /**
     * PHP takes a key of digits for a number, which nothing is called here.
     *
     * @return array<string, string> keys by themselves
     * @throws UnableToReadResults
     */
    public function names(): array
    {
        $names = [];

        foreach (array_keys($this->content) as $key) {
            $names[is_string($key) ? $key : throw $this->wrong((string) $key, 'nothing without a name')] = $key;
        }

        return $names;
    }

    private static function range(string $kind, float|int $least): string
    {
        return match (true) {
            $least === self::LEAST => "{$kind} above 0",
            $least <= -self::MOST => $kind,
            default => "{$kind} from {$least} to 1e15",
        };
    }
}
