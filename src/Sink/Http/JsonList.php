<?php

declare(strict_types=1);

namespace Headroom\Sink\Http;

use Generator;

/**
 * A list in JSON, or under a key of an object, entry by entry as text: decoded as a whole it would take what memory its
 * sender likes, a hundred bytes and more for each of his.
 *
 * @internal
 */
final class JsonList
{
    private const BLANK = " \t\r\n";

    private int $at = 0;

    public function __construct(private readonly string $text) {}

    /**
     * To be called once.
     *
     * @return Generator<int, string, mixed, bool> returns false when it is no such JSON; an entry may be none either
     */
    public function entries(string $key): Generator
    {
        if ($this->takes('[')) {
            return (yield from $this->list()) && $this->isAtEnd();
        }

        if (! $this->takes('{')) {
            return false;
        }

        $isThere = false;

        do {
            $name = json_decode($this->string(), true);

            if (! is_string($name) || ! $this->takes(':')) {
                return false;
            }

            if ($name !== $key || $isThere) {
                $this->value();

                continue;
            }

            $isThere = true;

            if (! $this->takes('[') || ! yield from $this->list()) {
                return false;
            }
        } while ($this->takes(','));

        return $isThere && $this->takes('}') && $this->isAtEnd();
    }

    /** @return Generator<int, string, mixed, bool> */
    private function list(): Generator
    {
        if ($this->takes(']')) {
            return true;
        }

        do {
            yield $this->value();
        } while ($this->takes(','));

        return $this->takes(']');
    }

    /** What comes next, up to the comma or bracket that ends it. */
    private function value(): string
    {
        $this->at += strspn($this->text, self::BLANK, $this->at);
        $start = $this->at;

        for ($depth = 0; ;) {
            $this->at += strcspn($this->text, '"[]{},', $this->at);
            $sign = $this->text[$this->at] ?? '';

            if ($sign === '"') {
                $this->string();

                continue;
            }

            $depth += match ($sign) {
                '[', '{' => 1,
                ']', '}' => -1,
                default => 0,
            };

            if ($sign === '' || $depth < 0 || ($depth === 0 && $sign === ',')) {
                return rtrim(substr($this->text, $start, $this->at - $start), self::BLANK);
            }

            $this->at++;
        }
    }

    /** With its quotes; what is none when none comes next. */
    private function string(): string
    {
        $this->at += strspn($this->text, self::BLANK, $this->at);
        $start = $this->at;
        $end = $start + 1;

        for ($length = strlen($this->text); $end < $length; $end += 2) {
            $end += strcspn($this->text, '"\\', $end);

            if (($this->text[$end] ?? '') === '"') {
                break;
            }
        }

        $this->at = min(strlen($this->text), $end + 1);

        return substr($this->text, $start, $this->at - $start);
    }

    /** @phpstan-impure */
    private function takes(string $sign): bool
    {
        $this->at += strspn($this->text, self::BLANK, $this->at);
        $isNext = ($this->text[$this->at] ?? '') === $sign;
        $this->at += $isNext ? 1 : 0;

        return $isNext;
    }

    private function isAtEnd(): bool
    {
        return $this->at + strspn($this->text, self::BLANK, $this->at) === strlen($this->text);
    }
}
