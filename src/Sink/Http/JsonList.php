<?php

declare(strict_types=1);

namespace Headroom\Sink\Http;

use Generator;

/**
 * Reads a list in JSON, or a list under a key of an object, entry by entry as text. json_decode() of the whole body
 * could take a hundred bytes of memory and more for each byte that the server sends.
 *
 * @internal
 */
final class JsonList
{
    private const BLANK = " \t\r\n";

    private int $at = 0;

    public function __construct(private readonly string $text) {}

    /**
     * Call it once.
     *
     * @return Generator<int, string, mixed, bool> returns false if the text has no such list; an entry may be invalid
     * JSON
     */
    public function entries(string $key): Generator
    {
        if ($this->consume('[')) {
            return (yield from $this->list()) && $this->isAtEnd();
        }

        if (! $this->consume('{')) {
            return false;
        }

        $isFound = false;

        do {
            $name = json_decode($this->string(), true);

            if (! is_string($name) || ! $this->consume(':')) {
                return false;
            }

            if ($name !== $key || $isFound) {
                $this->value();

                continue;
            }

            $isFound = true;

            if (! $this->consume('[') || ! yield from $this->list()) {
                return false;
            }
        } while ($this->consume(','));

        return $isFound && $this->consume('}') && $this->isAtEnd();
    }

    /** @return Generator<int, string, mixed, bool> */
    private function list(): Generator
    {
        if ($this->consume(']')) {
            return true;
        }

        do {
            yield $this->value();
        } while ($this->consume(','));

        return $this->consume(']');
    }

    /** Reads up to the comma or bracket that ends the value. */
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

    /** Returns the string with its quotes, or text that is not valid JSON if no string follows. */
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
    private function consume(string $sign): bool
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
