<?php

declare(strict_types=1);

namespace Headroom\Spool\Services;

use Headroom\Core\HeadroomException;
use Headroom\Spool\Delivery\Flusher;
use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\Delivery\FlushReport;

/**
 * Flushes a bucket and then cleans it, so that no second command has to be scheduled.
 *
 * @internal
 */
final readonly class CleaningFlush
{
    public function __construct(private SpoolServices $spool) {}

    public function flush(string $bucket, FlushOptions $options, Flusher $flusher): FlushReport
    {
        $report = $flusher->flush($bucket, $options);

        if (! $report->busy && ! $report->paused && $report->waiting === null && $report->isDelivered()) {
            try {
                $cleaner = $this->spool->cleaner($bucket);
                $ttl = $this->spool->config()->retention();

                if ($cleaner->isDue($ttl)) {
                    $cleaner->clean($ttl);
                }
            } catch (HeadroomException $e) {
                $report->failed($report->failure ?? $e);
                $flusher->savePartialFailure($report);
            }
        }

        return $report;
    }
}
