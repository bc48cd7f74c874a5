<?php

declare(strict_types=1);

namespace Headroom\Bench\Preload;

/**
 * The cost of a request, measured over some requests of one page in a row.
 *
 * @internal
 */
final readonly class CpuSample
{
    /**
     * @param float $cpuMicros of the worker, per request
     * @param float $wallMicros from connection to answer, per request
     * @param array<int, int> $statuses how many answers had each status
     */
    public function __construct(public float $cpuMicros, public float $wallMicros, public array $statuses) {}

    /** @param non-empty-list<self> $turns of the same number of requests each */
    public static function together(array $turns): self
    {
        $statuses = [];

        foreach ($turns as $turn) {
            foreach ($turn->statuses as $status => $count) {
                $statuses[$status] = ($statuses[$status] ?? 0) + $count;
            }
        }

        return new self(
            array_sum(array_map(static fn (self $turn): float => $turn->cpuMicros, $turns)) / count($turns),
            array_sum(array_map(static fn (self $turn): float => $turn->wallMicros, $turns)) / count($turns),
            $statuses,
        );
    }
}
