<?php

declare(strict_types=1);

namespace Headroom\Console\Standalone;

use Symfony\Component\Console\Formatter\OutputFormatter;

/**
 * Messages are worded for Laravel; where there is none its commands and files have other names. Of words only: events,
 * JSON and what is printed for other programs is written raw, and no formatter sees that.
 *
 * @internal
 */
final class PlainWords extends OutputFormatter
{
    private const WORDS = [
        ', and run `php artisan config:clear`' => '',
        '`php artisan schedule:run`' => '`headroom spool:flush`',
        // There is nothing to publish, and the collector makes the directory.
        '`php artisan spool:install`' => '`headroom collect`',
        'php artisan headroom:' => 'headroom ',
        'php artisan spool:' => 'headroom spool:',
        'config/headroom.php' => 'headroom.php',
        'headroom.preload.' => 'preload.',
        'config/spool.php' => 'headroom.php',
    ];

    public function formatAndWrap(?string $message, int $width): string
    {
        return parent::formatAndWrap($message === null ? null : strtr($message, self::WORDS), $width);
    }
}
