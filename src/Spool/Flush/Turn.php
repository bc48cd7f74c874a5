<?php

declare(strict_types=1);

namespace Headroom\Spool\Flush;

use Headroom\Core\HeadroomException;
use Headroom\Spool\Runtime;
use Headroom\Support\PhpRestrictions;

/**
 * A flush that tidies up behind itself, so that no second thing has to be scheduled.
 *
 * @internal
 */
final readonly class Turn
{
    public function __construct(private Runtime $spool) {}

    public function of(string $bucket, Limits $limits): FlushReport
    {
        return $this->by($this->spool->flusher(), $bucket, $limits);
    }

    public function by(Flusher $flusher, string $bucket, Limits $limits): FlushReport
    {
        return PhpRestrictions::within(fn (): FlushReport => $this->taken($flusher, $bucket, $limits));
    }

    private function taken(Flusher $flusher, string $bucket, Limits $limits): FlushReport
    {
        $report = $flusher->flush($bucket, $limits);

        if (! $report->busy && ! $report->paused && $report->waiting === null && $report->isDelivered()) {
            try {
                $this->spool->cleaner($bucket)->clean($this->spool->config()->completedTtl());
            } catch (HeadroomException $e) {
                $report->failed($report->failure ?? $e);
                $flusher->noteLeft($report);
            }
        }

        return $report;
    }
}
