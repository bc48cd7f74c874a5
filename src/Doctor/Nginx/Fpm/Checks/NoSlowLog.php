<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm\Checks;

use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\PoolEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\PoolCheck;
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
        $advised = min(self::SECONDS, RequestTimeouts::of($facts, $pool)->slowest());
        $wanted = array_filter([
            'slowlog' => $pool->text('slowlog') === null ? "/var/log/php-fpm-{$pool->name()}.slow.log" : '',
            'request_slowlog_timeout' => $seconds <= 0 || $seconds > self::LATEST ? "{$advised}s" : '',
            'request_slowlog_trace_depth' => $depth < self::DEPTH ? (string) self::DEPTH : '',
        ], static fn (string $value): bool => $value !== '');
        $evidence = [
            $pool->evidence('slowlog'),
            $pool->evidence('request_slowlog_timeout'),
            $pool->evidence('request_slowlog_trace_depth'),
        ];

        return $wanted === [] ? Finding::pass('the pool logs slow requests', ...$evidence) : Finding::warn(
            match (true) {
                $seconds <= 0 => 'The slow log of the pool is off.',
                $seconds
                    > self::LATEST => "The slow log of the pool has only requests of more than {$seconds} seconds.",
                $depth < self::DEPTH => "The slow log of the pool cuts stacks at {$depth} frames.",
                default => 'The slow log of the pool has no file.',
            },
            $evidence,
            new Fix(changes: PoolEdit::all($pool, $wanted)),
        );
    }
}
