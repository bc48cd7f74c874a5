<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm;

use Headroom\Doctor\Check;
use Headroom\Doctor\Edit;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\PoolEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Layer;
use Headroom\Doctor\ManualChange;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class NoSlowLog implements Check
{
    private const DEPTH = 60;

    private const SECONDS = 2;

    /** nginx gives a request up after as many, unless told otherwise. */
    private const LATEST = 60;

    public function rule(): Rule
    {
        return new Rule(
            'F8',
            'The slow log is off, or cuts its stacks',
            Severity::Low,
            Layer::Fpm,
            'The slow log has the stack of each request that takes longer than request_slowlog_timeout, once:'
                .' the fastest way from "all processes are busy" to the line that they wait in.'
                .' Stacks are cut at request_slowlog_trace_depth, 20 by default, which is less than a request of'
                .' Laravel has. `headroom slowlog` reads it. PHP-FPM has whole seconds only: `500ms` is 500 seconds to'
                .' it, and `0.5` is 0.',
            'request_slowlog_timeout is 0 or above 60 seconds, slowlog is not set, or request_slowlog_trace_depth'
                .' is below 60.',
            ['https://www.php.net/manual/en/install.fpm.configuration.php'],
        );
    }

    public function examine(Facts $facts): array
    {
        return $facts->get(FpmPools::class)->each(static function (FpmPool $pool) use ($facts): Finding {
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
                    'headroom doctor --only=F8',
                ),
            );
        });
    }
}
