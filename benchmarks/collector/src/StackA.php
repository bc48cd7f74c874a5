<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector;

use Headroom\Host\WebConfig;
use Headroom\Host\WebStack;

/**
 * nginx and PHP-FPM: each request occupies a process until its answer is sent.
 */
final readonly class StackA
{
    /** Three times the pool of Debian. */
    private const WORKERS = 16;

    /** @param array<string, string> $env */
    public static function start(string $script, array $env = [], int $workers = self::WORKERS): WebStack
    {
        return WebStack::start(new WebConfig(
            dirname(__DIR__)."/stack-a/{$script}.php",
            workers: $workers,
            env: $env,
            ini: ['opcache.enable' => true, 'opcache.validate_timestamps' => false],
        ));
    }
}
