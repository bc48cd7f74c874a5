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
 * Applies a bucket's `overflow` option to events that the buffer could not take. Loaded when the first such event
 * occurs.
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
     * Returns when the sink has the events, or when they are dropped because the bucket's option is `drop`.
     *
     * @param string $payload one line of JSON per event, joined by "\n"
     * @param int<1, max> $count events in it
     *
     * @throws UnableToAppend
     * @throws Throwable the sink's exception when the caller's own transaction is lost
     */
    public function handle(string $bucket, UnableToAppend $refusal, string $payload, int $count): void
    {
        try {
            $config = $this->config->bucket($bucket);
        } catch (InvalidConfig $e) {
            $this->refuse($bucket, UnableToAppend::notDeliveredDirectly($refusal, $e->getMessage()), $count);
        }

        match ($config?->overflow) {
            // An undeclared bucket has no sink that could take the events directly.
            null => $this->refuse(
                $bucket,
                UnableToAppend::notDeliveredDirectly($refusal, "bucket '{$bucket}' is not declared under"
                    .' spool.buckets.'),
                $count,
            ),
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
        // A reader may still find the events in the buffer. If they also went to the sink, they would arrive twice.
        if ($refusal->failure === AppendFailure::Uncertain) {
            $this->refuse($config->name, $refusal, $count);
        }

        $result = new DirectWriteResult;

        try {
            $isDelivered = $this->delivery->try(
                $config,
                $payload,
                $result,
                fn (bool $kept) => $this->incidents->note(
                    $config->name,
                    $refusal,
                    $kept ? RefusalOutcome::Direct : RefusalOutcome::RolledBack,
                    $count,
                ),
            );
        } catch (Throwable $e) {
            $both = UnableToAppend::sinkFailedToo($refusal, $e, $result->count);

            if ($result->count > 0) {
                $this->incidents->note($config->name, $refusal, RefusalOutcome::Direct, $result->count);
            }

            $this->incidents->note($config->name, $both, RefusalOutcome::Thrown, max(1, $count - $result->count));

            throw $this->delivery->isTransactionLost($config, $e) ? $e : $both;
        }

        if (! $isDelivered) {
            $this->refuse(
                $config->name,
                UnableToAppend::notDeliveredDirectly($refusal, DirectDelivery::unsupported($config)),
                $count,
            );
        }
    }
}
