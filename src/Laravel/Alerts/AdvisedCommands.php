<?php

declare(strict_types=1);

namespace Headroom\Laravel\Alerts;

/**
 * The buffer works without Laravel, so its sentences name commands without the program that runs them.
 *
 * @internal
 */
final readonly class AdvisedCommands
{
    private const COMMAND = '/`(?=(?:(?:spool|headroom|schedule|queue|config|route|cache):[a-z]|migrate[ `]))/';

    /** Puts the program before each command in back ticks. */
    public static function in(string $text): string
    {
        return (string) preg_replace(self::COMMAND, '`php artisan ', $text);
    }
}
