<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Samplers;

/**
 * CPU time since the machine or the processes started, in ticks of 1/100 s.
 *
 * @internal
 */
final readonly class CpuSnapshot
{
    /**
     * @param int $all of all CPUs, in all states
     * @param array<string, int> $of by kind of process: php-fpm, nginx, redis-server, the SQL server
     */
    public function __construct(public int $all, public int $idle, public array $of = []) {}
}
