<?php

declare(strict_types=1);

namespace Headroom\Spool\Recovery;

use Headroom\Core\Position;
use Headroom\Sink\ExactlyOnce;
use Headroom\Sink\Progress;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\Delivery\SinkRegistry;
use Headroom\Spool\Exceptions\BucketBusy;
use Headroom\Spool\Exceptions\UndeliveredEvents;
use Headroom\Spool\Store\ConsumerLease;
use Headroom\Spool\Store\LogEntry;
use Headroom\Spool\Store\MissingRange;
use Headroom\Spool\Store\Store;
use Headroom\Spool\UnableToFlush;

/**
 * Moves a bucket's cursor, in the ledger if the sink has one. The cursor only moves back, or to the position that this
 * disk has saved, so undelivered events are never skipped.
 *
 * @internal
 */
final readonly class Replay
{
    public function __construct(private Store $store, private SinkRegistry $sinks) {}

    /**
     * @param bool $again whether events may be delivered twice
     *
     * @throws UnableToFlush
     */
    public function run(BucketConfig $bucket, ReplayFrom $from, bool $again, bool $isTrial): ReplayReport
    {
        $lease = $this->store->claim($bucket->name) ?? throw BucketBusy::beingFlushed($bucket->name);

        try {
            return $this->move($lease, $bucket, $from, $again, $isTrial);
        } finally {
            $lease->close(Position::start());
        }
    }

    private function move(
        ConsumerLease $lease,
        BucketConfig $bucket,
        ReplayFrom $from,
        bool $again,
        bool $isTrial,
    ): ReplayReport {
        $sink = $this->sinks->of($bucket);
        $known = $lease->state()->progress;
        // A ledger shows what has arrived. Without one, an announced range may have arrived.
        $begun = $sink instanceof ExactlyOnce ? null : $lease->state()->intent->to;
        $ledger = $sink instanceof ExactlyOnce ? $sink->progress($lease->source()) : $known;
        $lease->seal();
        $target = $this->target($lease, $known, $from);

        if ($ledger !== null && $target->position->compare($ledger->position) > 0) {
            throw UndeliveredEvents::skippedByReplay(
                $bucket->name,
                $ledger->position->toString(),
                $target->position->toString(),
            );
        }

        [$twice, $unknown, $waiting] = $this->count($lease, $target->position, $ledger?->position, $begun);
        $isDone = ! $isTrial && ($twice + $unknown === 0 || $again);

        if ($isDone) {
            if ($sink instanceof ExactlyOnce) {
                $this->moveLedger($sink, $lease, $ledger, $target);
            }

            // After a crash between commit and save, the ledger counts events that this disk does not count yet.
            $lease->save($lease->state()
                ->at($ledger ?? $known, $lease->letters())
                ->replayedFrom($target, $lease->letters()));
        }

        return new ReplayReport($target->position, $twice, $unknown, $waiting, $isDone);
    }

    private function moveLedger(ExactlyOnce $sink, ConsumerLease $lease, ?Progress $ledger, Progress $target): void
    {
        if ($ledger === null) {
            $sink->register($lease->source());
            $ledger = Progress::none();
        }

        // A move to the same values is left out: a database that counts changed rows would return 0, as for a ledger
        // that is elsewhere.
        if (! $ledger->equals($target)) {
            $sink->move($lease->source(), $ledger, $target);
        }
    }

    /** Returns the target position, with the numbers of delivered and dead events before it. */
    private function target(ConsumerLease $lease, Progress $known, ReplayFrom $from): Progress
    {
        if ($from->isNow) {
            return $known;
        }

        $place = null;
        $events = 0;
        $dead = 0;
        $letters = self::dead($lease, Position::start());

        foreach (self::entries($lease, Position::start()) as $entry) {
            if ($place === null && ($from->since === null || $entry->acceptedAt >= $from->since)) {
                $place = $entry->position;
            }

            $events += $place === null ? 0 : self::eventsBefore($entry, $known->position);
            $dead += $place === null ? 0 : self::deadBefore($letters, $entry, $known->position);
        }

        // No requested event is before the cursor.
        if ($place === null || $place->compare($known->position) >= 0) {
            return $known;
        }

        $dead = min($known->dead, $dead);

        return new Progress($place, max(0, $known->delivered - $events + $dead), max(0, $known->dead - $dead));
    }

    /**
     * @return array{int<0, max>, int<0, max>, int<0, max>} number of events that would arrive twice, of events that may
     *     arrive twice, and of all events that the next flush would send
     */
    private function count(ConsumerLease $lease, Position $target, ?Position $delivered, ?Position $begun): array
    {
        // A replayed range has another id, so a receiver cannot drop events that have arrived already.
        $twice = $begunOrDelivered = $all = 0;
        $dead = self::dead($lease, $target);

        foreach (self::entries($lease, $target) as $entry) {
            $twice += $delivered === null
                ? 0
                : self::eventsBefore($entry, $delivered) - self::deadBefore($dead, $entry, $delivered);
            $begunOrDelivered += $begun === null
                ? 0
                : self::eventsBefore($entry, $begun) - self::deadBefore($dead, $entry, $begun);
            $all += max(0, $entry->count - $entry->position->index);
        }

        return [
            max(0, $twice),
            max(0, $begunOrDelivered - $twice),
            max(0, $all - $lease->letters()->countTombstonesFrom($target)),
        ];
    }

    /**
     * @return array<string, list<Position>> events from this position on that are dead, retried or forgotten, by their
     *     place in the log
     */
    private static function dead(ConsumerLease $lease, Position $from): array
    {
        $dead = [];

        foreach (array_keys($lease->letters()->discardVoid($from, true)) as $text) {
            $position = Position::fromString($text);
            $dead["{$position->segment}-{$position->offset}"][] = $position;
        }

        return $dead;
    }

    /**
     * A letter whose segment is gone has no entry, and is not counted.
     *
     * @param array<string, list<Position>> $dead
     *
     * @return int<0, max>
     */
    private static function deadBefore(array $dead, LogEntry $entry, Position $place): int
    {
        return count(array_filter(
            $dead["{$entry->position->segment}-{$entry->position->offset}"] ?? [],
            static fn (Position $one): bool => $one->compare($entry->position) >= 0 && $one->compare($place) < 0,
        ));
    }

    /** @return iterable<LogEntry> */
    private static function entries(ConsumerLease $lease, Position $from): iterable
    {
        foreach ($lease->read($from) as $item) {
            yield from $item instanceof MissingRange ? [] : $item;
        }
    }

    /** @return int<0, max> */
    private static function eventsBefore(LogEntry $entry, Position $place): int
    {
        return match (true) {
            $entry->position->compare($place) >= 0 => 0,
            $entry->end->compare($place) <= 0 => max(0, $entry->count - $entry->position->index),
            default => max(0, $place->index - $entry->position->index),
        };
    }
}
