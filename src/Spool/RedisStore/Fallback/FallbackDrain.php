<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Fallback;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\FaultPoint;
use Headroom\Core\Position;
use Headroom\Sink\Progress;
use Headroom\Spool\Encoding\DeadLetterCodec;
use Headroom\Spool\Exceptions\LedgerMismatch;
use Headroom\Spool\Exceptions\PartiallyFlushed;
use Headroom\Spool\FileStore\FileStore;
use Headroom\Spool\FileStore\State\StateFile;
use Headroom\Spool\RedisStore\Client\Client;
use Headroom\Spool\RedisStore\Client\RedisFailure;
use Headroom\Spool\RedisStore\Stream\InDoubtEntry;
use Headroom\Spool\RedisStore\Stream\Keys;
use Headroom\Spool\RedisStore\Stream\Scripts;
use Headroom\Spool\Store\ConsumerLease;
use Headroom\Spool\Store\DeadLetter;
use Headroom\Spool\Store\ForkDetector;
use Headroom\Spool\Store\LogEntry;
use Headroom\Spool\Store\MissingRange;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\Path;

/**
 * Drains the events on this machine's disk into Redis, in order. Redis keeps a cursor for each disk, which the script
 * that takes the frames moves in the same step. A drain that is interrupted continues at this cursor, and Redis takes
 * no event twice.
 *
 * @internal
 */
final class FallbackDrain
{
    private const FRAMES_AT_ONCE = 200;

    private const BYTES_AT_ONCE = 1_048_576;

    /** A machine can be forgotten after five minutes of silence, but its clock may have been wrong then. */
    private const FORGOTTEN_MARGIN_MILLIS = 3_600_000;

    /** @var list<MissingRange> ranges that could not be read, and events that became dead letters */
    public array $losses = [];

    /** @var list<string|int> token, payload, number of events and microseconds of each frame, one after another */
    private array $frames = [];

    private int $bytes = 0;

    private Progress $progress;

    /** End of the last entry that this drain handled; null before the first one. */
    private ?Position $last = null;

    /** Redis had taken the entries up to this position, and has lost them since. */
    private Position $forgotten;

    /** This machine knows that the entries up to this position were delivered. */
    private Position $deliveredUpTo;

    /** @var array<string, true> by position: events that were left to another copy of this disk */
    private array $leftToOtherCopy = [];

    /** Whether an entry was skipped, so that the cursor has to move even without frames. */
    private bool $hasSkipped = false;

    private readonly DrainCursor $cursor;

    /** End of the last entry that this drain handled, with the checksum of the log up to it. */
    private Progress $handled;

    /** The disk's progress before this drain. */
    private Progress $initial;

    /** Position at which this drain begins. */
    private Position $from;

    /** Redis may have taken events that were accepted up to this time, in milliseconds since the Unix epoch. */
    private int $doubtfulUntil = 0;

    /**
     * @param ?Closure(string): ?Position $deliveredFromDisk returns the position up to which a bucket was delivered
     *     from this disk, while it was not in Redis
     * @param int<0, max> $wait number of replicas that must have the drained events before this disk forgets them
     * @param ?DrainCheckpoint $lastCheck the checkpoint of this machine's last flush
     */
    public function __construct(
        private readonly Client $client,
        private readonly Keys $keys,
        private readonly FileStore $disk,
        private readonly string $bucket,
        private readonly Clock $clock,
        private readonly ?FaultPoint $faultPoint = null,
        private readonly ?Closure $deliveredFromDisk = null,
        private readonly int $wait = 0,
        int $waitMillis = 100,
        private readonly ?DrainCheckpoint $lastCheck = null,
    ) {
        $this->cursor = new DrainCursor($client, $keys, $bucket, $wait, $waitMillis);
        $this->deliveredUpTo = Position::start();
        $this->progress = $this->initial = $this->handled = Progress::none();
        $this->forgotten = $this->from = Position::start();
    }

    /**
     * @return ?UnableToFlush the failure of the drain. It must not stop the delivery of the events in Redis: at
     *     maxmemory, only delivery frees memory
     *
     * @throws RedisFailure when Redis does not answer
     */
    public function run(): ?UnableToFlush
    {
        if (Path::isAbsent($this->disk->layout($this->bucket)->directory)) {
            return null;
        }

        try {
            if ($this->disk->isDrained($this->bucket) && ! $this->hasLostEvents()) {
                return null;
            }

            $lease = $this->disk->claim($this->bucket);

            if ($lease !== null) {
                $this->drainClaimed($lease);
            }

            return null;
        } catch (UnableToFlush $e) {
            return PartiallyFlushed::notDrained($this->bucket, $e);
        } catch (RedisFailure $e) {
            return $e->kind === '' ? throw $e : PartiallyFlushed::notDrained($this->bucket, $e);
        }
    }

    /** Whether Redis has lost events that it had taken from this disk. */
    private function hasLostEvents(): bool
    {
        $flush = (new StateFile(
            $this->disk->layout($this->bucket)->stateFile,
            $this->disk->permissions,
        ))->read()->flush;
        $known = $flush->isOfRedis() ? DrainCursor::read($this->client, $this->keys, $this->disk->node()) : null;

        return $known !== null && $known->position->compare($flush->progress->position) < 0;
    }

    private function drainClaimed(ConsumerLease $lease): void
    {
        $delivered = Position::start();

        try {
            $this->drain($lease);
            $delivered = $lease->state()->progress->position;
        } finally {
            $lease->close($delivered);
        }
    }

    private function drain(ConsumerLease $lease): void
    {
        $this->progress = $this->initial = $lease->state()->progress;
        $known = $this->client->command($this->keys->meta, [
            'HMGET',
            $this->client->key($this->keys->meta),
            "drained:{$lease->source()->node}",
            'nodes_forgotten_at',
            'node',
        ]);
        [
            $cursor, $forgottenAt, $node,
        ] = is_array($known) ? array_values($known) + [null, null, null] : [null, null, null];
        $cursor = is_string($cursor) && $cursor !== '' ? $cursor : null;
        $ledger = $cursor === null ? null : DrainCursor::decode($cursor);
        $taken = $ledger?->position;
        $this->cursor->startAt($cursor ?? DrainCursor::encode($this->progress));

        $this->refuseFork($lease, $ledger);
        $isOfRedis = $lease->state()->isOfRedis();
        // Redis has lost events that it had taken, unless the bucket was flushed from this disk in the meantime.
        $isForgotten = $isOfRedis && $taken !== null && $taken->compare($this->progress->position) < 0;
        $from = $isForgotten ? $taken : $this->progress->position;
        $delivered = ! $isOfRedis && $this->deliveredFromDisk !== null
            ? ($this->deliveredFromDisk)($this->bucket)
            : null;
        $from = $delivered !== null && $delivered->compare($from) > 0 ? $delivered : $from;
        $this->from = $from;
        $this->last = null;
        $this->handled = $ledger !== null
                && $ledger->position->compare($from) <= 0
                && $ledger->position->compare($this->progress->position) < 0
            ? $ledger
            : $this->progress;
        $this->forgotten = $isForgotten ? $this->progress->position : Position::start();
        $this->deliveredUpTo = $this->lastCheck?->deliveredUpTo(is_string($node) ? $node : '') ?? Position::start();

        if ($isOfRedis && $taken === null && is_string($forgottenAt)) {
            $this->doubtfulUntil = (int) $forgottenAt + self::FORGOTTEN_MARGIN_MILLIS;
        }

        $this->drainFrom($lease, $from, $taken);
    }

    private function drainFrom(ConsumerLease $lease, Position $from, ?Position $taken): void
    {
        if ($this->wait > 0) {
            // Entries that an earlier drain has sent are skipped below, and may not be on a replica yet.
            $this->cursor->moveTo($this->cursor->text(), $lease->source()->node, Scripts::DRAIN, []);
        }

        $lease->seal();
        $this->leftToOtherCopy = $lease->letters()->discardVoid($from, false);

        foreach ($lease->read($from) as $item) {
            if ($item instanceof MissingRange) {
                $this->losses[] = $item;
            }

            foreach ($item instanceof MissingRange ? [] : $item as $entry) {
                if ($taken !== null && $entry->end->compare($taken) <= 0) {
                    // Redis took the entry, and the drain ended before the disk could save that.
                    $this->advance($lease, $entry);

                    continue;
                }

                $this->drainEntry($lease, $entry);
            }
        }

        $this->frames === [] && $this->hasSkipped ? $this->move($lease, Scripts::DRAIN, []) : $this->send($lease);
    }

    /** @throws UnableToFlush */
    private function refuseFork(ConsumerLease $lease, ?Progress $known): void
    {
        if ($known === null) {
            return;
        }

        $lease->seal();

        if (ForkDetector::hasDiverged($known, $lease->state(), $lease)) {
            throw LedgerMismatch::forked(
                $lease->source()->toString(),
                $known->position->toString(),
                $this->progress->position->toString(),
            );
        }
    }

    private function drainEntry(ConsumerLease $lease, LogEntry $entry): void
    {
        $isForgotten = $entry->end->compare($this->forgotten) <= 0;

        if ($isForgotten && $entry->end->compare($this->deliveredUpTo) <= 0) {
            $this->advance($lease, $entry, false);
            $this->hasSkipped = true;

            return;
        }

        if (isset($this->leftToOtherCopy[$entry->position->toString()])) {
            $this->advance($lease, $entry, false, true);
            $this->hasSkipped = true;

            return;
        }

        $append = UnconfirmedAppend::of($entry);
        $isOfForgottenNode = intdiv($entry->acceptedAt, 1000) <= $this->doubtfulUntil;
        $isDoubtful = $isForgotten
            || $isOfForgottenNode
            || ($append->token !== ''
                && ! $append->canBeDecided($this->client, $this->keys, $entry->acceptedAt, $this->clock));

        if ($isDoubtful || count($this->frames) >= 4 * self::FRAMES_AT_ONCE || $this->bytes >= self::BYTES_AT_ONCE) {
            $this->send($lease);
        }

        if ($isDoubtful) {
            $this->moveToDeadLetters($lease, $entry, $append, match (true) {
                $isForgotten => 'Redis had taken this event from the disk and has lost its latest data; it is unknown'
                    .' whether the event was delivered before.',
                $isOfForgottenNode => 'This disk was forgotten (spool:forget-node) and came back; Redis may have taken'
                    .' and delivered this event before.',
                default => 'Redis was asked to take this event and did not answer, and no longer knows whether it took'
                    .' it; the event may have been delivered.',
            });

            return;
        }

        array_push(
            $this->frames,
            $append->token,
            $append->payload,
            $entry->count - $entry->position->index,
            $entry->acceptedAt,
        );
        $this->bytes += strlen($append->payload);
        $this->advance($lease, $entry, false);
    }

    private function advance(ConsumerLease $lease, LogEntry $entry, bool $isSaved = true, bool $isDead = false): void
    {
        $isFurther = $entry->end->compare($this->progress->position) > 0;
        $checksum = $lease->checksum($this->handled, $entry->end);
        $this->handled = new Progress($entry->end, checksum: $checksum);
        $events = max(0, $entry->count - $entry->position->index);
        $this->progress = $isFurther
            ? new Progress(
                $entry->end,
                $this->progress->delivered + ($isDead ? 0 : $events),
                $this->progress->dead + ($isDead ? $events : 0),
                $checksum,
            )
            : $this->progress;
        $this->last = $entry->end;

        if ($isSaved && $isFurther) {
            $lease->save($lease->state()->broughtIntoRedis($this->progress));
        }
    }

    private function send(ConsumerLease $lease): void
    {
        if ($this->frames === [] || $this->last === null) {
            return;
        }

        $this->faultPoint?->reached('drain.sending');
        $this->move($lease, Scripts::DRAIN, $this->frames);
        [$this->frames, $this->bytes] = [[], 0];
    }

    private function moveToDeadLetters(
        ConsumerLease $lease,
        LogEntry $entry,
        UnconfirmedAppend $append,
        string $reason,
    ): void {
        $inDoubt = new InDoubtEntry($entry, $lease->source(), $this->clock, $reason);
        // Redis replaces "@" by the position that it gives the letter.
        $letters = array_map(
            static fn (DeadLetter $letter): string => str_replace(
                "\"{$letter->position->toString()}\"",
                '"@"',
                DeadLetterCodec::encode($letter),
            ),
            $inDoubt->letters(explode("\n", $append->payload)),
        );
        $this->advance($lease, $entry, false);
        $this->move($lease, Scripts::DRAIN_TO_DEAD_LETTERS, [
            $entry->end->compare($this->forgotten) <= 0 ? count($letters) : 0, ...$letters,
        ]);
        $this->losses[] = MissingRange::setAside($entry->position, count($letters), $reason);
    }

    /** @param list<string|int> $arguments */
    private function move(ConsumerLease $lease, string $script, array $arguments): void
    {
        $this->register($lease);
        $to = DrainCursor::encode($this->last === null ? $this->progress : $this->handled);
        $this->cursor->moveTo($to, $lease->source()->node, $script, $arguments);
        $this->faultPoint?->reached('drain.sent');
        $lease->save($lease->state()->broughtIntoRedis($this->progress));
    }

    /**
     * Saves on this disk that Redis may have its events, before Redis takes the first one. If Redis forgets the disk
     * later, this record tells the next drain that events are in doubt.
     */
    private function register(ConsumerLease $lease): void
    {
        if ($lease->state()->isOfRedis()) {
            return;
        }

        // Redis gets the cursor first. So if this disk has the record and Redis does not know the disk, Redis has
        // forgotten it.
        $begun = new Progress(
            $this->from,
            $this->initial->delivered,
            $this->initial->dead,
            $lease->checksum($this->initial, $this->from),
        );
        $to = max(DrainCursor::encode($begun), $this->cursor->text());
        $this->cursor->moveTo($to, $lease->source()->node, Scripts::DRAIN, []);
        $lease->save($lease->state()->broughtIntoRedis($begun));
        $this->faultPoint?->reached('drain.registered');
    }
}
