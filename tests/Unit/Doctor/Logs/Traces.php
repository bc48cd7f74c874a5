<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Logs;

use Headroom\Doctor\Logs\SlowLog\SlowLogReader;
use Headroom\Doctor\Logs\SlowLog\SlowLogSummary;

/**
 * Text as PHP-FPM writes it to a slow log, made from frames.
 */
final readonly class Traces
{
    public const ROOT = '/srv/shop/releases/31/';

    public const FRAMEWORK = self::ROOT.'vendor/laravel/framework/src/Illuminate/';

    /** The way into Laravel, down to the application's controller. */
    private const WAY_IN = [
        ['index', self::FRAMEWORK.'Routing/Controller.php:54'],
        ['callAction', self::FRAMEWORK.'Routing/ControllerDispatcher.php:43'],
        ['Illuminate\Pipeline\{closure}', self::FRAMEWORK.'Pipeline/Pipeline.php:127'],
        ['then', self::FRAMEWORK.'Foundation/Http/Kernel.php:176'],
        ['sendRequestThroughRouter', self::FRAMEWORK.'Foundation/Http/Kernel.php:145'],
        ['handle', self::ROOT.'public/index.php:17'],
    ];

    /** @return string of the one request that was found writing its session to Redis */
    public static function session(): string
    {
        return (string) file_get_contents(__DIR__.'/fixtures/session.slow');
    }

    /** @param list<array{string, string}> $frames function, file and line; the innermost first */
    public static function text(
        array $frames,
        string $time = '14-Mar-2026 09:41:07',
        string $pool = 'www',
        int $pid = 4711,
    ): string {
        $text = "\n[{$time}]  [pool {$pool}] pid {$pid}\nscript_filename = /srv/shop/current/public/index.php\n";

        foreach ($frames as $i => [$function, $place]) {
            $text .= sprintf("[0x%016x] %s() %s\n", 0x7F01C4413B90 - 0x90 * $i, $function, $place);
        }

        return $text;
    }

    /** @param list<array{string, string}> $frames below the controller's method, which is called by Laravel */
    public static function below(array $frames, string $time = '14-Mar-2026 09:41:07', string $pool = 'www'): string
    {
        return self::text([...$frames, ...self::WAY_IN], $time, $pool);
    }

    public static function read(string $text): SlowLogSummary
    {
        $summary = new SlowLogSummary;
        $log = new SlowLogReader($summary);
        $lines = explode("\n", $text);
        $last = array_pop($lines);
        $log->read($last === '' ? $lines : [...$lines, $last]);
        $log->end($last !== '');

        return $summary;
    }
}
