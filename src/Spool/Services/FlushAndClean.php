<?php

declare(strict_types=1);

namespace Headroom\Spool\Services;

use Headroom\Core\HeadroomException;
use Headroom\Spool\Delivery\Flusher;
use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\Delivery\FlushReport;
use Headroom\Support\PhpRestrictions;

/**
 * A flush that tidies up behind itself, so that no second thing has to be scheduled.
 *
 * @internal
 */
final readonly class FlushAndClean
{
    public function __construct(private SpoolServices $spool) {}

    public function of(string $bucket, FlushOptions $limits): FlushReport
    {
        return $this->by($this->spool->flusher(), $bucket, $limits);
    }

    public function by(Flusher $flusher, string $bucket, FlushOptions $limits): FlushReport
    {
        return PhpRestrictions::within(fn (): FlushReport => $this->taken($flusher, $bucket, $limits));
    }

    private function taken(Flusher $flusher, string $bucket, FlushOptions $limits): FlushReport
    {
        $report = $flusher->flush($bucket, $limits);

        if (! $report->busy && ! $report->paused && $report->waiting === null && $report->isDelivered()) {
            try {
                $this->spool->cleaner($bucket)->clean($this->spool->config()->retention());
            } catch (HeadroomException $e) {
                $report->failed($report->failure ?? $e);
                $flusher->noteLeft($report);
            }
        }

        return $report;
    }
}
