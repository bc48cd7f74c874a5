<?php

declare(strict_types=1);

namespace Headroom\Laravel\Text;

use Headroom\Support\TerminalText;
use Headroom\Support\Utf8Cut;

/**
 * Sentences for the dashboard and the alerts. The buffer works without Laravel, so its sentences name commands without
 * the program that runs them.
 *
 * @internal
 */
final readonly class Sentences
{
    /** An error message of a server can have any length. */
    private const MAX_BYTES = 2_000;

    private const COMMAND = '/`(?=(?:(?:spool|headroom|schedule|queue|config|route|cache):[a-z]|migrate[ `]))/';

    /** Puts the program before each command in back ticks. */
    public static function withCommands(string $text): string
    {
        return self::shown((string) preg_replace(self::COMMAND, '`php artisan ', $text));
    }

    /** @param int<1, max> $most bytes */
    public static function shown(string $text, int $most = self::MAX_BYTES): string
    {
        $line = TerminalText::line($text);

        return strlen($line) <= $most ? $line : Utf8Cut::cut($line, $most).'…';
    }
}
