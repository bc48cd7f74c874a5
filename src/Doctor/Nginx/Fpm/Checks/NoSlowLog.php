<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm\Checks;

use Headroom\Doctor\Edit;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\PoolEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\PoolCheck;
use Headroom\Doctor\ManualChange;
use Headroom\Doctor\Nginx\Fpm\RequestTimeouts;

/**
 * @internal
 */
final readonly class NoSlowLog implements PoolCheck
{
    private const DEPTH = 60;

    private const SECONDS = 2;

    /** nginx gives up after this time by default. */
    private const LATEST = 60;

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $seconds = $pool->seconds('request_slowlog_timeout');
        $depth = $pool->integer('request_slowlog_trace_depth');
        $hasFile = $pool->text('slowlog') !== null;
        $isOff = $seconds <= 0 || $seconds > self::LATEST;
        $wanted = [
            ...($hasFile ? [] : ['slowlog' => "/var/log/php-fpm-{$pool->name()}.slow.log"]),
            ...($isOff ? [
                'request_slowlog_timeout' => min(self::SECONDS, RequestTimeouts::of($facts, $pool)->slowest()).'s',
            ] : []),
            ...($depth < self::DEPTH ? ['request_slowlog_trace_depth' => (string) self::DEPTH] : []),
        ];
        $evidence = [
            $pool->evidence('slowlog'),
            $pool->evidence('request_slowlog_timeout'),
            $pool->evidence('request_slowlog_trace_depth'),
        ];

        return $wanted === [] ? Finding::pass('the pool logs slow requests', ...$evidence) : Finding::warn(
            match (true) {
                $seconds <= 0 => 'The slow log of the pool is off.',
                $isOff => "The slow log of the pool has only requests of more than {$seconds} seconds.",
                $depth < self::DEPTH => "The slow log of the pool cuts stacks at {$depth} frames.",
                default => 'The slow log of the pool has no file.',
            },
            $evidence,
            'You have to guess what slow requests wait for.',
            self::fix($pool, $wanted),
        );
    }

    /** @param array<string, string> $wanted values by setting */
    private static function fix(FpmPool $pool, array $wanted): Fix
    {
        return new Fix(
            array_keys($wanted) === ['request_slowlog_trace_depth']
                ? 'Let it write '.self::DEPTH.' frames.'
                : 'Enable it for a test, from 2 seconds on, and disable it afterwards: each trace stops its process for'
                    .' a moment. In Docker the container needs SYS_PTRACE.',
            array_map(
                static fn (string $name, string $value): Edit|ManualChange => PoolEdit::of($pool, $name, $value),
                array_keys($wanted),
                array_values($wanted),
            ),
        );
    }
}
