<?php

declare(strict_types=1);

namespace Headroom\Spool\Flush;

use Headroom\Core\Position;
use Headroom\Sink\ExactlyOnce;
use Headroom\Sink\Progress;
use Headroom\Sink\Source;
use Headroom\Spool\Claim;
use Headroom\Spool\Entry;
use Headroom\Spool\File\Folder;
use Headroom\Spool\File\Frame;
use Headroom\Spool\File\LetterBox;
use Headroom\Spool\File\NodeId;
use Headroom\Spool\File\RegularFile;
use Headroom\Spool\Fork;
use Headroom\Spool\Loss;
use Headroom\Spool\Runtime;
use Headroom\Spool\UnableToFlush;

/**
 * Gives this disk an id of its own, after it was set back or copied: its buckets go on under it where they stand here, and the
 * ledger rows of the old id stay with the other copy.
 *
 * @internal
 */
final readonly class NewId
{
    public function __construct(private Runtime $spool) {}

    /**
     * @param ?int $copiedAt what was accepted before, the other copy has, too, and delivers; microseconds since the Unix epoch. Null: nothing is left to it
     * @param bool $isTrial nothing is changed
     *
     * @throws UnableToFlush
     */
    public function take(?int $copiedAt, bool $isTrial): NewIdReport
    {
        $store = $this->spool->store();
        $new = bin2hex(random_bytes(16));
        $claims = [];

        try {
            foreach ($store->buckets() as $bucket) {
                $claims[$bucket] = $store->claim($bucket) ?? throw UnableToFlush::beingFlushed($bucket);
            }

            $buckets = array_map(fn (Claim $claim): NewIdBucket => $this->examine($claim, $copiedAt), $claims);

            if (! $isTrial) {
                foreach ($claims as $bucket => $claim) {
                    $this->move($claim, $buckets[$bucket], $new, $copiedAt);
                }

                NodeId::replace($store->root, $new, $store->permissions);
            }
        } finally {
            array_map(static fn (Claim $claim) => $claim->release(Position::start()), $claims);
        }

        return new NewIdReport($new, array_values($buckets), ! $isTrial);
    }

    private function examine(Claim $claim, ?int $copiedAt): NewIdBucket
    {
        $bucket = $claim->source->bucket;
        $redis = $this->spool->stores()->redis($bucket);
        $sink = $this->ledger($claim);
        $ledger = $redis === null ? $sink?->progress($claim->source) : $redis->drainedTo($bucket, $claim->source->node);
        $waiting = $elsewhere = 0;

        foreach ($this->entries($claim) as $entry) {
            $events = max(0, $entry->count - $entry->position->index);
            $waiting += $events;
            $elsewhere += $entry->acceptedAt < $copiedAt ? $events : 0;
        }

        $this->refuseHeldSlots($claim->source->bucket, $copiedAt);

        return new NewIdBucket($claim->source->bucket, $ledger !== null && Fork::isThere($ledger, $claim->log->state(), $claim->log), $sink !== null || $redis !== null, $waiting, $elsewhere);
    }

    /**
     * What a writer keeps locked is not in the log yet: part of it may be the other copy's.
     *
     * @throws UnableToFlush
     */
    private function refuseHeldSlots(string $bucket, ?int $copiedAt): void
    {
        $layout = $this->spool->store()->layout($bucket);

        foreach ($copiedAt === null ? [] : (new Folder($layout->active))->slots() as $name) {
            $header = RegularFile::read("{$layout->active}/{$name}", Frame::HEADER_BYTES);
            /** @var array{1: int}|false $begun */
            $begun = is_string($header) && strlen($header) === Frame::HEADER_BYTES ? unpack('J', $header, 20) : false;

            if ($begun !== false && $begun[1] < $copiedAt) {
                throw UnableToFlush::slotHeld($bucket, $name);
            }
        }
    }

    /** @throws UnableToFlush */
    private function move(Claim $claim, NewIdBucket $bucket, string $new, ?int $copiedAt): void
    {
        // Both copies have it, and the ledger gives it to the one that asks first.
        if ($bucket->hasLedger && ! $bucket->isForked && $bucket->waiting > 0) {
            throw UnableToFlush::waitsUnderOldId($bucket->bucket, $bucket->waiting);
        }

        foreach ($copiedAt === null || $bucket->elsewhere === 0 ? [] : $this->entries($claim) as $entry) {
            if ($entry->acceptedAt < $copiedAt) {
                $this->leave($claim, $entry);
            }
        }

        $sink = $this->ledger($claim);
        $progress = $claim->log->state()->progress;
        // The next try need not wait for the trouble that the fork was.
        $claim->log->save($claim->log->state()->troubled(null));

        // Else it would pass for a disk that Redis has forgotten.
        $this->spool->stores()->redis($claim->source->bucket)?->beginAt($claim->source->bucket, $new, $progress);

        if ($sink !== null && ! $progress->position->isStart()) {
            $source = new Source($new, $claim->source->bucket);
            $sink->register($source);
            $sink->move($source, Progress::none(), $progress);
        }
    }

    private function leave(Claim $claim, Entry $entry): void
    {
        for ($index = $entry->position->index; $index < $entry->count; $index++) {
            $this->letters($claim)->remember(new Position($entry->position->segment, $entry->position->offset, max(0, min(65_535, $index))));
        }
    }

    private function letters(Claim $claim): LetterBox
    {
        return $this->spool->store()->letters($claim->source->bucket);
    }

    private function ledger(Claim $claim): ?ExactlyOnce
    {
        $config = $this->spool->stores()->isOnRedis($claim->source->bucket) ? null : $this->spool->config()->bucket($claim->source->bucket);
        $sink = $config === null ? null : $this->spool->sinks()->of($config);

        return $sink instanceof ExactlyOnce ? $sink : null;
    }

    /** @return iterable<Entry> */
    private function entries(Claim $claim): iterable
    {
        foreach ($claim->log->read($claim->log->state()->progress->position) as $item) {
            yield from $item instanceof Loss ? [] : $item;
        }
    }
}
