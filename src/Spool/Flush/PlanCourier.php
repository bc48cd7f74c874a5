<?php

declare(strict_types=1);

namespace Headroom\Spool\Flush;

use Headroom\Core\Position;
use Headroom\Sink\Delivery;
use Headroom\Sink\NothingArrived;
use Headroom\Sink\Progress;
use Headroom\Sink\RecordsRefused;
use Headroom\Sink\Sink;
use Headroom\Sink\SyncsToDisk;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\FlushState;
use Headroom\Spool\Log;
use Headroom\Spool\UnableToFlush;

/**
 * For sinks that keep no ledger: the range is written down before it is sent, so that whoever comes after a crash sends
 * the very same range under the same id.
 *
 * @internal
 */
final class PlanCourier implements Courier
{
    private FlushState $state;

    public function __construct(private readonly Sink $sink, private readonly Log $log, private readonly BucketConfig $bucket)
    {
        $this->state = $log->state();
    }

    public function begin(): Progress
    {
        $this->state = $this->log->state();

        if ($this->state->planned !== null && $this->state->plannedFor !== $this->bucket->sinkFingerprint()) {
            throw UnableToFlush::begunForAnotherSink($this->bucket->name, $this->state->plannedFor, $this->bucket->sinkFingerprint());
        }

        return $this->state->progress;
    }

    public function begun(): ?Position
    {
        return $this->state->planned;
    }

    public function deliver(Delivery $delivery): Progress
    {
        if (count($delivery->batch) > 0) {
            $wasBegun = $this->state->planned !== null;
            $this->save($this->state->planning($delivery->to, $this->bucket->sinkFingerprint()));

            try {
                $this->sink->deliver($delivery);
            } catch (RecordsRefused|NothingArrived $e) {
                // Of a range that was begun before, nobody knows whether it arrived then: under another id it could arrive twice.
                if (! $wasBegun || $e instanceof RecordsRefused) {
                    $this->save($this->state->unplanned());
                }

                throw $e;
            }

            if ($this->sink instanceof SyncsToDisk && $this->bucket->durability->isSynced()) {
                $this->sink->sync();
            }
        }

        $this->save($this->state->delivered($delivery));

        return $this->state->progress;
    }

    private function save(FlushState $state): void
    {
        $this->log->save($state);
        $this->state = $state;
    }
}
