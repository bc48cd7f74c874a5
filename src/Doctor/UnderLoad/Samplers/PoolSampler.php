<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Samplers;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\FpmPool;

/**
 * @internal
 *
 * @implements Sampler<PoolSnapshot>
 */
final class PoolSampler implements Sampler
{
    private int $asked = 0;

    public function __construct(private readonly FpmPool $pool) {}

    public function subject(): string
    {
        return "the pool {$this->pool->name()}";
    }

    public function read(): PoolSnapshot
    {
        // A pool object caches its facts, so each sample uses a new one.
        $pool = $this->pool->again();
        $queue = $pool->queue();
        $mayAsk = $pool->settings->text('pm.status_listen') !== null || $queue->waiting === 0;

        return new PoolSnapshot($queue->waiting, $queue->limit, $mayAsk ? $this->accepted($pool) : null);
    }

    private function accepted(FpmPool $pool): ?int
    {
        try {
            $status = $pool->status();
            // Without pm.status_listen the status page is a request too, and so was each that arrived
            // while FPM could not answer.
            $this->asked += $pool->settings->text('pm.status_listen') === null ? $status->requests : 0;

            return $status->acceptedConnections === null ? null : $status->acceptedConnections - $this->asked;
        } catch (FactUnavailable) {
            // Its processes and its queue can be read without it.
            return null;
        }
    }
}
