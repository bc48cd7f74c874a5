<?php

declare(strict_types=1);

namespace Headroom\Spool\Recovery;

use Headroom\Core\Position;
use Headroom\Sink\ExactlyOnce;
use Headroom\Sink\Progress;
use Headroom\Sink\Source;
use Headroom\Spool\Exceptions\BucketBusy;
use Headroom\Spool\Exceptions\UndeliveredEvents;
use Headroom\Spool\FileStore\DirectoryListing;
use Headroom\Spool\FileStore\Segment\Frame;
use Headroom\Spool\FileStore\State\NodeId;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\Store\ConsumerLease;
use Headroom\Spool\Store\DeadLetter;
use Headroom\Spool\Store\ForkDetector;
use Headroom\Spool\Store\MissingRange;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\HostName;
use Headroom\Support\RegularFile;
use Throwable;

/**
 * Gives this disk a new node id, after it was restored from a backup or copied. Under the new id its buckets continue
 * at their cursors, and the ledger rows of the old id stay with the other copy.
 *
 * @internal
 */
final readonly class NodeIdReplacement
{
    /** An operator forgets such a dead letter if the other copy has delivered the event, and retries it otherwise. */
    private const REASON = 'It was accepted before this disk was copied, and spool:new-id left it to the other copy.';

    public function __construct(private SpoolServices $spool) {}

    /**
     * @param ?int $copiedAt time of the copy in microseconds since the Unix epoch: the other copy has the events that
     *     were accepted before, and delivers them. Null leaves no events to it
     * @param bool $isTrial whether only the report is made, without a change
     *
     * @throws UnableToFlush
     */
    public function run(?int $copiedAt, bool $isTrial): NewIdReport
    {
        $store = $this->spool->store();
        $new = bin2hex(random_bytes(16));
        $claims = [];

        try {
            foreach ($store->buckets() as $bucket) {
                $claims[$bucket] = $store->claim($bucket) ?? throw BucketBusy::beingFlushed($bucket);
            }

            $buckets = array_map(fn (ConsumerLease $lease): NewIdBucket => $this->inspect($lease, $copiedAt), $claims);

            if (! $isTrial) {
                array_map(self::refuseUndecided(...), $buckets);

                foreach ($claims as $bucket => $lease) {
                    $this->move($lease, $buckets[$bucket], $new, $copiedAt);
                }

                $old = $store->node();
                NodeId::replace($store->root, $new, $store->permissions);
                $this->forget($old);
            }
        } finally {
            array_map(static fn (ConsumerLease $lease) => $lease->close(Position::start()), $claims);
        }

        return new NewIdReport($new, array_values($buckets), ! $isTrial);
    }

    private function inspect(ConsumerLease $lease, ?int $copiedAt): NewIdBucket
    {
        $bucket = $lease->source()->bucket;
        $redis = $this->spool->stores()->redis($bucket);
        $sink = $this->ledger($lease);
        $ledger = $redis === null
            ? $sink?->progress($lease->source())
            : $redis->drainedTo($bucket, $lease->source()->node);
        $lease->seal();
        $waiting = $leftToOtherCopy = 0;
        $last = $first = null;
        $isDeclared = $this->spool->config()->bucket($lease->source()->bucket) !== null;

        foreach ($this->waiting($lease) as $letter) {
            $waiting++;

            // Without a declared sink, no copy has delivered an event of the bucket.
            if ($isDeclared && $letter->acceptedAt < $copiedAt) {
                $leftToOtherCopy++;
                $last = max($last ?? 0, $letter->acceptedAt);
            } else {
                $first = min($first ?? PHP_INT_MAX, $letter->acceptedAt);
            }
        }

        $this->refuseLockedSegments($lease->source()->bucket, $copiedAt);

        return new NewIdBucket(
            $lease->source()->bucket,
            $ledger !== null && ForkDetector::hasDiverged($ledger, $lease->state(), $lease),
            $sink !== null || $redis !== null,
            $waiting,
            $leftToOtherCopy,
            $last,
            $first,
        );
    }

    /**
     * A segment that a writer has locked is not sealed yet, and the other copy may have some of its events.
     *
     * @throws UnableToFlush
     */
    private function refuseLockedSegments(string $bucket, ?int $copiedAt): void
    {
        $layout = $this->spool->store()->layout($bucket);

        foreach ($copiedAt === null ? [] : (new DirectoryListing($layout->active))->activeSegments() as $name) {
            $header = RegularFile::read("{$layout->active}/{$name}", Frame::HEADER_BYTES);
            /** @var array{1: int}|false $begun */
            $begun = is_string($header) && strlen($header) === Frame::HEADER_BYTES ? unpack('J', $header, 20) : false;

            if ($begun !== false && $begun[1] < $copiedAt) {
                throw BucketBusy::segmentLocked($bucket, $name);
            }
        }
    }

    /**
     * Both copies have these events, and the ledger lets only the copy that flushes first deliver them.
     *
     * @throws UnableToFlush
     */
    private static function refuseUndecided(NewIdBucket $bucket): void
    {
        if ($bucket->hasLedger && ! $bucket->isForked && $bucket->waiting > 0) {
            throw UndeliveredEvents::underOldId($bucket->bucket, $bucket->waiting);
        }
    }

    /** @throws UnableToFlush */
    private function move(ConsumerLease $lease, NewIdBucket $bucket, string $new, ?int $copiedAt): void
    {
        foreach ($copiedAt === null || $bucket->leftToOtherCopy === 0 ? [] : $this->waiting($lease) as $letter) {
            if ($letter->acceptedAt < $copiedAt) {
                $this->spool->store()->letters($bucket->bucket)->keepAndSkip($letter);
            }
        }

        $sink = $this->ledger($lease);
        $progress = $lease->state()->progress;
        // The fork is resolved, so the next flush need not wait for the retry time.
        $lease->save($lease->state()->withRetry(null));

        // Redis gets the progress under the new id too. Without it, Redis would seem to have forgotten the disk.
        $this->spool->stores()->redis($lease->source()->bucket)?->beginAt($lease->source()->bucket, $new, $progress);

        if ($sink !== null && ! $progress->position->isStart()) {
            $source = new Source($new, $lease->source()->bucket);
            $sink->register($source);
            $sink->move($source, Progress::none(), $progress);
        }
    }

    /** Removes the last heartbeat of this directory under the old id, because the other copy has that id now. */
    private function forget(string $node): void
    {
        try {
            $nodes = $this->spool->nodes();

            foreach ($nodes?->all() ?? [] as $status) {
                if (
                    $status->beat->node === $node
                    && $status->beat->host === HostName::own()
                    && $status->beat->path === $this->spool->store()->root
                ) {
                    $nodes?->forget($node, $status->beat->machine);
                }
            }
        } catch (Throwable) {
            // Delivery does not depend on the row. It will be reported as silent.
        }
    }

    private function ledger(ConsumerLease $lease): ?ExactlyOnce
    {
        $config = $this->spool->stores()->isOnRedis($lease->source()->bucket)
            ? null
            : $this->spool->config()->bucket($lease->source()->bucket);
        $sink = $config === null ? null : $this->spool->sinks()->of($config);

        return $sink instanceof ExactlyOnce ? $sink : null;
    }

    /**
     * @return iterable<DeadLetter> events that are not delivered, as far as this disk knows, and that were not left to
     *     another copy before
     */
    private function waiting(ConsumerLease $lease): iterable
    {
        $cursor = $lease->state()->progress->position;
        $sink = $this->spool->config()->bucket($lease->source()->bucket)->sink ?? '';
        $dead = $lease->letters()->discardVoid($cursor, false);

        foreach ($lease->read($cursor) as $item) {
            foreach ($item instanceof MissingRange ? [] : $item as $entry) {
                foreach (array_slice(
                    explode("\n", $entry->payload),
                    $entry->position->index,
                    $entry->count - $entry->position->index,
                    true,
                ) as $index => $line) {
                    $position = new Position(
                        $entry->position->segment,
                        $entry->position->offset,
                        max(0, min(65_535, $index)),
                    );

                    if (! isset($dead[$position->toString()])) {
                        yield DeadLetter::of(
                            $lease->source(),
                            $position,
                            $entry->acceptedAt,
                            $this->spool->clock()->micros(),
                            $sink,
                            self::REASON,
                            $line,
                        );
                    }
                }
            }
        }
    }
}
