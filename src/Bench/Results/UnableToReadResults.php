<?php

declare(strict_types=1);

namespace Headroom\Bench\Results;

use Headroom\Core\HeadroomException;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * One line, whatever the file has in it.
 *
 * @internal
 */
final class UnableToReadResults extends RuntimeException implements HeadroomException
{
    private function __construct(string $message)
    {
        parent::__construct(TerminalText::line($message));
    }

    public static function notThere(Origin $origin): self
    {
        return new self("{$origin->file} is not there. {$origin->command()} writes it.");
    }

    public static function closed(Origin $origin): self
    {
        return new self("{$origin->file} is there and can not be read. Run this as the user that measured.");
    }

    /** @param string $why such as "it is no JSON (Syntax error)" */
    public static function notOurs(Origin $origin, string $why): self
    {
        return new self(
            "{$origin->file} is not what {$origin->command()} writes: {$why}. Take it away, or put it back as it was"
                ." committed, and run: {$origin->command()}",
        );
    }

    /**
     * @param list<string> $path keys, from the outermost on
     * @param string $seen such as "is -1"
     * @param string $wanted such as "a number"
     */
    public static function wrong(Origin $origin, array $path, string $seen, string $wanted): self
    {
        return new self(
            "{$origin->file}: ".TerminalText::name(implode('.', $path), 300)
                ." {$seen}, where {$wanted} is wanted. Measure it again: {$origin->command($path)}",
        );
    }

    /** Each value is well by itself, and what is made of them can not be drawn. */
    public static function notDrawn(string $file, string $why): self
    {
        return new self(
            "No page can be made of {$file}: {$why} The file was edited, or another version wrote it: measure again,"
                .' with the make command that its README names.',
        );
    }
}
