<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\PoolEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\PoolCheck;

/**
 * @internal
 */
final readonly class CpuTimeUnlogged implements PoolCheck
{
    /** The format of FPM itself, in fpm_conf.c. */
    private const BY_DEFAULT = '%R - %u %t "%m %r" %s';

    private const FORMAT = '%R - %u %t \"%m %r%Q%q\" %s %{milliseconds}d %{kilobytes}M %C%%';

    /** Each can have a unit in braces. */
    private const WANTED = [
        'the time' => '/%(\{\w+\})?d/',
        'the memory' => '/%(\{\w+\})?M/',
        'the CPU' => '/%(\{\w+\})?C/',
    ];

    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        if ($pool->text('access.log') === null) {
            return Finding::skipped('the pool writes no access log');
        }

        $format = $pool->text('access.format') ?? self::BY_DEFAULT;
        $missing = array_keys(array_filter(
            self::WANTED,
            static fn (string $pattern): bool => preg_match($pattern, $format) !== 1,
        ));
        $evidence = [
            $pool->evidence('access.log'),
            new Evidence('access.format', $format, $pool->evidence('access.format')->source),
        ];

        return $missing === []
            ? Finding::pass('the access log has the cost of each request', ...$evidence)
            : Finding::warn(
                'The lines of the access log lack '.implode(', ', $missing).'.',
                $evidence,
                new Fix(changes: [PoolEdit::of($pool, 'access.format', '"'.self::FORMAT.'"')]),
            );
    }
}
