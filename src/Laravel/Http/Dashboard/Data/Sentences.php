<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Data;

use Headroom\Laravel\Alerts\AdvisedCommands;
use Headroom\Support\TerminalText;
use Headroom\Support\Utf8Cut;

/**
 * Sentences as the page shows them: with the commands as they are typed in this application.
 *
 * @internal
 */
final readonly class Sentences
{
    /** An error message of a server can have any length. */
    private const MAX_BYTES = 2_000;

    public static function withCommands(string $text): string
    {
        return self::shown(AdvisedCommands::in($text));
    }

    /** @param int<1, max> $most bytes */
    public static function shown(string $text, int $most = self::MAX_BYTES): string
    {
        $line = TerminalText::line($text);

        return strlen($line) <= $most ? $line : Utf8Cut::cut($line, $most).'…';
    }
}
