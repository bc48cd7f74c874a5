<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm;

use Headroom\Doctor\Edit;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\PoolEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\PoolCheck;
use Headroom\Doctor\ManualChange;

/**
 * @internal
 */
final readonly class NoSlowLog implements PoolCheck
{
    private const DEPTH = 60;

    private const SECONDS = 2;

    /** nginx gives a request up after as many, unless told otherwise. */
    private const LATEST = 60;

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $seconds = $pool->seconds('request_slowlog_timeout');
        $depth = $pool->integer('request_slowlog_trace_depth');
        $evidence = [
            $pool->evidence('slowlog'),
            $pool->evidence('request_slowlog_timeout'),
            $pool->evidence('request_slowlog_trace_depth'),
        ];

        $isLate = $seconds > self::LATEST;

        if ($seconds > 0 && ! $isLate && $pool->text('slowlog') !== null && $depth >= self::DEPTH) {
            return Finding::pass('slow requests are written down', ...$evidence);
        }

        $wanted = [
            ...($pool->text('slowlog') === null ? ['slowlog' => "/var/log/php-fpm-{$pool->name()}.slow.log"] : []),
            ...($seconds <= 0 || $isLate ? [
                'request_slowlog_timeout' => min(self::SECONDS, RequestTimeouts::of($facts, $pool)->slowest()).'s',
            ] : []),
            ...($depth < self::DEPTH ? ['request_slowlog_trace_depth' => (string) self::DEPTH] : []),
        ];
        $edits = array_map(
            static fn (string $name, string $value): Edit|ManualChange
                => PoolEdit::to($pool->settings, $name, $value),
            array_keys($wanted),
            array_values($wanted),
        );

        return Finding::warn(
            match (true) {
                $seconds <= 0 => 'Its slow log is off.',
                $isLate => "Its slow log has only requests of more than {$seconds} seconds.",
                $depth < self::DEPTH => "Its slow log cuts stacks at {$depth} frames.",
                default => 'Its slow log has no file.',
            },
            $evidence,
            'What slow requests wait for has to be guessed.',
            new Fix(
                array_keys($wanted) === ['request_slowlog_trace_depth']
                    ? 'Let it write '.self::DEPTH.' frames.'
                    : 'Switch it on for a test, from 2 seconds on, and off again afterwards:'
                        .' each trace stops its process for a moment. In Docker the container needs SYS_PTRACE.',
                $edits,
                [$pool->reload()],
                'Take the lines back and reload PHP-FPM.',
            ),
        );
    }
}
