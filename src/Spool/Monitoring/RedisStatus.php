<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring;

use Headroom\Core\Clock;
use Headroom\Core\HeadroomException;
use Headroom\Sink\Source;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\BucketStatus;
use Headroom\Spool\Delivery\LedgerReader;
use Headroom\Spool\Delivery\SinkRegistry;
use Headroom\Spool\RedisStore\RedisDeadLetters;
use Headroom\Spool\RedisStore\RedisPauses;
use Headroom\Spool\RedisStore\RedisStore;
use Headroom\Spool\RedisStore\Stream\BacklogCount;
use Headroom\Spool\RedisStore\Stream\Keys;
use Headroom\Spool\RedisStore\Stream\RedisSnapshot;
use Headroom\Spool\RedisStore\Stream\StreamCheck;
use Headroom\Spool\Status\EventCounts;
use Headroom\Spool\Status\FlushStatus;
use Headroom\Spool\Status\Storage;

/**
 * Reads the numbers of a bucket in Redis. Takes no lock and changes nothing.
 *
 * @internal
 */
final readonly class RedisStatus
{
    private const TRIES = 10;

    /**
     * Number of entries that one script counts. All other clients wait for the script, which takes some milliseconds.
     */
    private const AT_ONCE = 2_000;

    /** @param bool $asksLedgers see StatusReader */
    public function __construct(
        private RedisStore $store,
        private SinkRegistry $sinks,
        private Clock $clock,
        private bool $asksLedgers = true,
    ) {}

    /** @param BucketStatus $disk the part of the bucket on this machine's disk */
    public function read(BucketStatus $disk, ?BucketConfig $config): BucketStatus
    {
        try {
            return $this->together($disk, $config);
        } catch (HeadroomException $e) {
            // The numbers of this machine's disk are still known.
            return new BucketStatus(
                $disk->bucket,
                $disk->sink,
                self::onDisk($disk),
                $disk->oldestSeconds,
                $e->getMessage(),
                'redis',
                flush: new FlushStatus(failed: $disk->flush->failed),
                backpressure: $disk->backpressure,
                storage: self::storage($disk),
                isForked: $disk->isForked,
            );
        }
    }

    private function together(BucketStatus $disk, ?BucketConfig $config): BucketStatus
    {
        $keys = new Keys($disk->bucket);
        $look = StreamLook::take(
            $this->store,
            $disk->bucket,
            fn (RedisSnapshot $seen): LedgerReader => new LedgerReader(
                $this->sinks,
                $this->asksLedgers ? $config : null,
                new Source($seen->meta->node, $disk->bucket),
            ),
            fn (RedisSnapshot $seen, StreamCheck $check): BacklogCount => BacklogCount::of(
                $this->store->client,
                $keys,
                $check->from,
                $seen->last,
                self::AT_ONCE,
            ),
            self::TRIES,
            $this->clock,
        );
        $inspection = $this->inspection($look, $keys);
        $meta = $look->seen->meta;
        $isDiskForked = $this->store->isDiskForked($disk->bucket);
        $sink = $disk->sink ?? ($look->seen->record->flush->isOfCallback() ? BucketConfig::CALLBACK : null);
        $ages = array_filter(
            [$disk->oldestSeconds, $inspection->oldestSeconds($this->clock->micros())],
            is_float(...),
        );

        return new BucketStatus(
            $disk->bucket,
            $sink,
            self::onDisk($disk)->plus($inspection->events),
            $ages === [] ? null : max($ages),
            $look->ledger->error ?? ($look->isExact ? $disk->error : StatusReader::TOO_FAST),
            'redis',
            paused: $meta->paused === '' ? null : RedisPauses::read($meta->paused),
            flush: $this->flush($disk, $config, $inspection, $sink, $look->seen->owner),
            throughput: $inspection->history->throughput(),
            backpressure: $disk->backpressure,
            storage: self::storage($disk, $inspection),
            isForked: $disk->isForked || $isDiskForked || ($look->isExact && $look->check->isSetBack),
            isDiskForked: $isDiskForked,
            setBack: $look->isExact ? $look->check->words() : null,
        );
    }

    /** @param StreamLook<BacklogCount> $look */
    private function inspection(StreamLook $look, Keys $keys): Inspection
    {
        [$meta, $check, $record] = [$look->seen->meta, $look->check, $look->seen->record];
        $delivered = $check->progress->delivered + $meta->forgotten + $check->delivered;
        $dead = $check->progress->dead - $meta->retriedLetters + $meta->aside;
        $pending = $look->read->events;

        return new Inspection(
            new EventCounts(
                $check->accepted,
                $delivered,
                $dead,
                pending: $pending,
                missing: $look->isExact ? $check->accepted - $delivered - $dead - $pending : 0,
                retried: $record->flush->retried,
                replayed: $record->flush->replayed,
                retriedLetters: $meta->retriedLetters + $record->flush->replayedLetters,
            ),
            $look->read->oldest,
            $look->read->bytes,
            (new RedisDeadLetters($this->store->client, $keys))->count($check->progress->position),
            new FlushHistory(
                $record,
                $this->clock->micros(),
                $meta->logged - $meta->retriedLetters,
                $check->progress->delivered,
            ),
            isExact: $look->isExact,
        );
    }

    private function flush(
        BucketStatus $disk,
        ?BucketConfig $config,
        Inspection $seen,
        ?string $sink,
        string $owner,
    ): FlushStatus {
        $rate = $seen->events->pending === 0 ? null : $config?->rateLimit;
        $flush = $seen->history->status($sink === BucketConfig::CALLBACK, $rate, $this->clock, isShared: true);

        return new FlushStatus(
            $flush->trouble,
            $disk->flush->failed + $flush->failed,
            $flush->flushedSeconds,
            $flush->goesOnSeconds,
            $owner,
            $flush->failingSeconds,
            $flush->isStopped,
            $flush->isForked,
        );
    }

    /**
     * Returns the events that Redis does not count. Events that this disk has delivered went to Redis, which counts
     * them.
     */
    private static function onDisk(BucketStatus $disk): EventCounts
    {
        $events = $disk->events;
        $elsewhere = $disk->backpressure->direct + $disk->backpressure->bypassed;

        return new EventCounts(
            $elsewhere + $events->dead + $events->dropped + $events->pending + $events->missing,
            $elsewhere,
            $events->dead,
            $events->dropped,
            $events->pending,
            $events->missing,
            $events->retried,
            retriedLetters: $events->retriedLetters,
        );
    }

    private static function storage(BucketStatus $disk, ?Inspection $redis = null): Storage
    {
        return new Storage(
            $disk->storage->pendingBytes + ($redis->bytes ?? 0),
            $disk->storage->usedBytes,
            $disk->storage->maxBytes,
            $disk->storage->segments,
            $disk->events->pending,
            $disk->storage->damaged,
            $disk->storage->letters + ($redis->letters ?? 0),
            $disk->storage->held,
        );
    }
}
