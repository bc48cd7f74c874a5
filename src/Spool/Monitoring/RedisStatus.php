<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring;

use Headroom\Core\Clock;
use Headroom\Core\HeadroomException;
use Headroom\Sink\Progress;
use Headroom\Sink\Source;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\BucketStatus;
use Headroom\Spool\Delivery\LedgerReader;
use Headroom\Spool\Delivery\SinkRegistry;
use Headroom\Spool\RedisStore\Client\Client;
use Headroom\Spool\RedisStore\RedisDeadLetters;
use Headroom\Spool\RedisStore\RedisPauses;
use Headroom\Spool\RedisStore\RedisStore;
use Headroom\Spool\RedisStore\Stream\BacklogCount;
use Headroom\Spool\RedisStore\Stream\Keys;
use Headroom\Spool\RedisStore\Stream\RedisMeta;
use Headroom\Spool\RedisStore\Stream\RedisSnapshot;
use Headroom\Spool\RedisStore\Stream\StreamCheck;

/**
 * A bucket in Redis in numbers. Takes no lock and changes nothing.
 *
 * @internal
 */
final readonly class RedisStatus
{
    /** A delivery under the look makes it begin again. */
    private const TRIES = 10;

    /** Counted in one step of Redis, for which all others wait: some milliseconds. */
    private const AT_ONCE = 2_000;

    private Client $client;

    public function __construct(private RedisStore $store, private SinkRegistry $sinks, private Clock $clock)
    {
        $this->client = $store->client;
    }

    /** @param BucketStatus $disk what of it lies on this machine's disk */
    public function read(BucketStatus $disk, ?BucketConfig $config): BucketStatus
    {
        try {
            return $this->together($disk, $config);
        } catch (HeadroomException $e) {
            // What is here can be told all the same.
            return $this->status($disk, $config, null, null, new BacklogCount, $e->getMessage());
        }
    }

    private function together(BucketStatus $disk, ?BucketConfig $config): BucketStatus
    {
        $keys = new Keys($disk->bucket);

        for ($try = 1; ; $try++) {
            // First: what comes meanwhile is in Redis before it is noted.
            $notes = $this->store->notes($disk->bucket)->all();
            $seen = RedisSnapshot::take($this->client, $keys);
            $ledger = new LedgerReader($this->sinks, $config, new Source($seen->meta->node, $disk->bucket));
            $known = $ledger->progress();
            $standing = StreamCheck::of($this->client, $keys, $seen, $known, $notes);
            $tally = BacklogCount::of($this->client, $keys, $standing->from, $seen->last, self::AT_ONCE);
            $again = RedisSnapshot::take($this->client, $keys);
            $after = $ledger->progress() ?? $again->record->flush->progress;
            $isStable = $after->position->equals($standing->progress->position) && $again->meta->node === $seen->meta->node && $again->meta->trimmedTo === $seen->meta->trimmedTo;

            if ($isStable || $try === self::TRIES) {
                return $this->status($disk, $config, $seen, $standing, $tally, $ledger->error ?? ($isStable ? null : StatusReader::TOO_FAST), $isStable, $this->store->isDiskForked($disk->bucket));
            }

            $this->clock->sleep(2_000);
        }
    }

    private function status(BucketStatus $disk, ?BucketConfig $config, ?RedisSnapshot $seen, ?StreamCheck $standing, BacklogCount $tally, ?string $error, bool $isStable = false, bool $isDiskForked = false): BucketStatus
    {
        $progress = $standing->progress ?? Progress::none();
        $sink = $disk->sink ?? ($seen?->record->flush->isOfCallback() === true ? BucketConfig::CALLBACK : null);
        $meta = $seen->meta ?? new RedisMeta([]);
        // What was brought into Redis is counted there.
        $onDisk = $disk->pending + $disk->missing;
        $accepted = $standing->accepted ?? $meta->accepted();
        [$delivered, $dead] = [$progress->delivered + $meta->forgotten + ($standing->delivered ?? 0), $progress->dead - $meta->revived + $meta->aside];
        $pace = $seen === null ? null : new Throughput($seen->record, $this->clock->micros());
        $ages = array_filter([$disk->oldestSeconds, $tally->oldest === null ? null : max(0.0, ($this->clock->micros() - $tally->oldest) / 1_000_000)], is_float(...));

        return new BucketStatus(
            bucket: $disk->bucket,
            sink: $sink,
            accepted: $accepted + $onDisk + $disk->dead + $disk->direct + $disk->bypassed + $disk->dropped,
            delivered: $delivered + $disk->direct + $disk->bypassed,
            dead: $dead + $disk->dead,
            dropped: $disk->dropped,
            pending: $tally->events + $disk->pending,
            missing: ($isStable ? $accepted - $delivered - $dead - $tally->events : 0) + $disk->missing,
            oldestSeconds: $ages === [] ? null : max($ages),
            pendingBytes: $tally->bytes + $disk->pendingBytes,
            damaged: $disk->damaged,
            held: $disk->held,
            error: $error ?? $disk->error,
            letters: $disk->letters + ($seen === null ? 0 : (new RedisDeadLetters($this->client, new Keys($disk->bucket)))->count($progress->position)),
            replayed: $seen->record->flush->replayed ?? 0,
            trouble: $pace?->trouble($sink === BucketConfig::CALLBACK),
            flushedSeconds: $pace?->flushedSeconds(),
            inPerSecond: $pace?->in($meta->logged - $meta->revived),
            outPerSecond: $pace?->out($progress->delivered),
            direct: $disk->direct,
            droppedByReason: $disk->droppedByReason,
            refusedByReason: $disk->refusedByReason,
            refusing: $disk->refusing,
            usedBytes: $disk->usedBytes,
            maxBytes: $disk->maxBytes,
            paused: $meta->paused === '' ? null : RedisPauses::read($meta->paused),
            bypassed: $disk->bypassed,
            store: 'redis',
            onDisk: $disk->pending,
            owner: $seen->owner ?? '',
            goesOnSeconds: $tally->events === 0 ? null : $pace?->goesOnSeconds($config?->rateLimit, $this->clock, isShared: true),
            segments: $disk->segments,
            failed: $disk->failed + ($seen->record->flush->failed ?? 0),
            retried: $disk->retried + ($seen->record->flush->retried ?? 0), isForked: $disk->isForked || $isDiskForked || ($isStable && $standing?->isSetBack === true),
            isDiskForked: $isDiskForked, setBack: $isStable ? $standing?->words() : null,
        );
    }
}
