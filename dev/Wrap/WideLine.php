<?php

declare(strict_types=1);

namespace Headroom\Dev\Wrap;

/**
 * A line that is too wide, and its byte offset in the file.
 *
 * @internal
 */
final readonly class WideLine
{
    public function __construct(private int $start, private string $text) {}

    /** The characters before this offset of the file. */
    public function column(int $offset): int
    {
        return mb_strlen(substr($this->text, 0, $offset - $this->start));
    }

    public function textFrom(int $offset): string
    {
        return substr($this->text, $offset - $this->start);
    }

    public function indent(): int
    {
        return strspn($this->text, ' ');
    }

    /** Whether it goes on with a concatenation. */
    public function startsWithOperand(): bool
    {
        return str_starts_with(ltrim($this->text), '.');
    }
}
