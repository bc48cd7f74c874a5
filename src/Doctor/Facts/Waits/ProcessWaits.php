<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Waits;

use Headroom\Doctor\Facts\Kernel\KernelFiles;

/**
 * What processes wait for at this moment, by the kernel. Keep one for many looks: who listens where is found out once.
 *
 * @internal
 */
final readonly class ProcessWaits
{
    /** @param array<string, string> $known what listens at an address, such as "10.0.0.5:6379" or "unix:/run/redis.sock" */
    public function __construct(private array $known = [], private KernelFiles $files = new KernelFiles) {}

    /**
     * Who has ended is left out.
     *
     * @param list<int> $pids
     * @return list<Wait>
     */
    public function of(array $pids): array
    {
        return [];
    }
}
