<?php

declare(strict_types=1);

namespace Headroom\Spool\Worker;

use Headroom\Core\HeadroomException;
use Headroom\Spool\Delivery\FlushReport;
use Headroom\Spool\Durability;
use Headroom\Spool\FileStore\Fsync\Syncer;
use Headroom\Spool\Services\SpoolServices;

/**
 * Syncs the buckets whose `durability` is `interval`.
 *
 * @internal
 */
final class PeriodicFsync
{
    /** @var array<string, Syncer> by bucket */
    private array $syncers = [];

    private readonly FailureLog $log;

    public function __construct(private readonly SpoolServices $spool, private readonly WorkerOutput $output)
    {
        $this->log = new FailureLog($spool);
    }

    /** A failure does not stop the delivery, because a delivered event does not need this disk any more. */
    public function round(string $bucket): void
    {
        $report = new FlushReport($bucket);

        try {
            if ($this->spool->config()->bucket($bucket)?->durability !== Durability::Interval) {
                return;
            }

            $store = $this->spool->store();
            $this->syncers[$bucket] ??= new Syncer(
                $store->root,
                $store->layout($bucket),
                $store->permissions,
                $this->spool->clock(),
            );
            $this->syncers[$bucket]->round();
        } catch (HeadroomException $e) {
            $report->failed($e);
            $this->output->error("{$bucket}: {$e->getMessage()}");
        }

        $this->log->note($report);
    }
}
