<?php

declare(strict_types=1);

namespace Headroom\Console\Spool;

use Headroom\Console\CommandGuard;
use Headroom\Core\HeadroomException;
use Headroom\Spool\Delivery\FlushReport;
use Headroom\Spool\Durability;
use Headroom\Spool\FileStore\Fsync\Syncer;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\Worker\FailureLog;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * A worker's part in `durability` = `interval`.
 *
 * @internal
 */
final class PeriodicFsync
{
    /** @var array<string, Syncer> by bucket */
    private array $syncers = [];

    private readonly FailureLog $log;

    public function __construct(private readonly SpoolServices $spool)
    {
        $this->log = new FailureLog($spool);
    }

    /** Before each turn of a bucket. A failure keeps nothing from being delivered: what has arrived needs this disk no more. */
    public function round(string $bucket, OutputInterface $output): void
    {
        $report = new FlushReport($bucket);

        try {
            if ($this->spool->config()->bucket($bucket)?->durability !== Durability::Interval) {
                return;
            }

            $store = $this->spool->store();
            $this->syncers[$bucket] ??= new Syncer($store->root, $store->layout($bucket), $store->permissions, $this->spool->clock());
            $this->syncers[$bucket]->round();
        } catch (HeadroomException $e) {
            $report->failed($e);
            (new CommandGuard($output))->complain("{$bucket}: {$e->getMessage()}");
        }

        $this->log->note($report);
    }
}
