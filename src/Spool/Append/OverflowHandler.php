<?php

declare(strict_types=1);

namespace Headroom\Spool\Append;

use Headroom\Spool\AppendFailure;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\OverflowPolicy;
use Headroom\Spool\RefusalOutcome;
use Headroom\Spool\SpoolConfig;
use Headroom\Spool\UnableToAppend;
use Headroom\Support\InvalidConfig;
use Throwable;

/**
 * What becomes of events that the buffer could not take, as the bucket's `overflow` setting says. Loaded when that happens.
 *
 * @internal
 */
final readonly class OverflowHandler
{
    public function __construct(
        private SpoolConfig $config,
        private DirectDelivery $delivery,
        private RefusalIncidents $incidents,
    ) {}

    /**
     * Returns when the events are where they belong, or given up as the bucket wants it.
     *
     * @param string $payload one line of JSON per event, joined by "\n"
     * @param int<1, max> $count events in it
     *
     * @throws UnableToAppend
     * @throws Throwable what the sink threw when the caller's own transaction is gone
     */
    public function settle(string $bucket, UnableToAppend $refusal, string $payload, int $count): void
    {
        try {
            $config = $this->config->bucket($bucket);
        } catch (InvalidConfig $e) {
            $this->refuse($bucket, UnableToAppend::notDirectly($refusal, $e->getMessage()), $count);
        }

        match ($config?->overflow) {
            // Nothing says where it would go.
            null => $this->refuse($bucket, UnableToAppend::notDirectly($refusal, "bucket '{$bucket}' is not declared under spool.buckets."), $count),
            OverflowPolicy::Throw => $this->refuse($bucket, $refusal, $count),
            OverflowPolicy::Drop => $this->incidents->note($bucket, $refusal, RefusalOutcome::Dropped, $count),
            OverflowPolicy::Direct => $this->direct($config, $refusal, $payload, $count),
        };
    }

    /** @throws UnableToAppend */
    private function refuse(string $bucket, UnableToAppend $refusal, int $count): never
    {
        $this->incidents->note($bucket, $refusal, RefusalOutcome::Thrown, $count);

        throw $refusal;
    }

    /** @throws Throwable */
    private function direct(BucketConfig $config, UnableToAppend $refusal, string $payload, int $count): void
    {
        // A reader may find the event in the buffer yet.
        if ($refusal->failure === AppendFailure::Uncertain) {
            $this->refuse($config->name, $refusal, $count);
        }

        $arrivals = new DirectWriteResult;

        try {
            $isThere = $this->delivery->try($config, $payload, $arrivals, fn (bool $kept) => $this->incidents->note($config->name, $refusal, $kept ? RefusalOutcome::Direct : RefusalOutcome::RolledBack, $count));
        } catch (Throwable $e) {
            $both = UnableToAppend::neitherByTheSink($refusal, $e, $arrivals->count);

            if ($arrivals->count > 0) {
                $this->incidents->note($config->name, $refusal, RefusalOutcome::Direct, $arrivals->count);
            }

            $this->incidents->note($config->name, $both, RefusalOutcome::Thrown, max(1, $count - $arrivals->count));

            throw $this->delivery->isTheCallers($config, $e) ? $e : $both;
        }

        if (! $isThere) {
            $this->refuse($config->name, UnableToAppend::notDirectly($refusal, DirectDelivery::notPossible($config)), $count);
        }
    }
}
