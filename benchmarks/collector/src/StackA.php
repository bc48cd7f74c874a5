<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector;

use Headroom\Host\WebConfig;
use Headroom\Host\WebStack;

/**
 * The article's stack A: nginx and PHP-FPM, each request a process of its own until its answer is there.
 */
final readonly class StackA
{
    /** Three times what Debian's pool has. */
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
