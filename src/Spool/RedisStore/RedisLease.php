<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore;

use Headroom\Core\Clock;
use Headroom\Core\FaultPoint;
use Headroom\Core\Position;
use Headroom\Sink\Progress;
use Headroom\Sink\Source;
use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\FileStore\FileStore;
use Headroom\Spool\RedisStore\Client\Replication;
use Headroom\Spool\RedisStore\Fallback\DrainCheckpoint;
use Headroom\Spool\RedisStore\Fallback\DrainCheckpoints;
use Headroom\Spool\RedisStore\Stream\ForeignEntry;
use Headroom\Spool\RedisStore\Stream\InDoubtEntry;
use Headroom\Spool\RedisStore\Stream\RedisMeta;
use Headroom\Spool\RedisStore\Stream\RedisSnapshot;
use Headroom\Spool\RedisStore\Stream\Scripts;
use Headroom\Spool\RedisStore\Stream\StreamCheck;
use Headroom\Spool\RedisStore\Stream\StreamId;
use Headroom\Spool\RedisStore\Stream\StreamPosition;
use Headroom\Spool\RedisStore\Stream\StreamReader;
use Headroom\Spool\Store\CanLoseTail;
use Headroom\Spool\Store\ConsumerLease;
use Headroom\Spool\Store\LogEntries;
use Headroom\Spool\Store\LogEntry;
use Headroom\Spool\Store\MissingRange;
use Headroom\Spool\Store\Replicated;
use Headroom\Spool\Store\State\DeliveryState;
use Headroom\Spool\Store\State\StateRecord;
use Headroom\Spool\UnableToFlush;

/**
 * A bucket's stream, while this process owns the bucket.
 *
 * @internal
 */
final class RedisLease implements CanLoseTail, ConsumerLease, Replicated
{
    /**
     * A replica on the same network confirms within milliseconds. The time must be shorter than the connection's read
     * timeout, which is a second by default.
     */
    private const REPLICA_MILLIS = 500;

    private readonly RedisDeadLetters $letters;

    private ?StateRecord $record = null;

    private RedisMeta $meta;

    /** Id of the last entry when seal() was called; empty when the stream was empty. */
    private ?string $last = null;

    private bool $hasReported = false;

    /** Whether yieldTo() has trimmed the stream, and has counted the events that it lacks. */
    private bool $isYielded = false;

    /** The loss that the checkpoints show; null until it is looked for, and when it is counted already. */
    private ?StreamCheck $loss = null;

    /** @var list<DrainCheckpoint> this machine's checkpoints from before this lease */
    private readonly array $earlier;

    /**
     * @param list<MissingRange> $losses found before this process became the owner
     * @param ?UnableToFlush $drainFailure why events of this machine's disk could not be drained into Redis
     */
    public function __construct(
        private readonly Source $source,
        private readonly Ownership $owner,
        private readonly FileStore $disk,
        private readonly DrainCheckpoints $checkpoints,
        private readonly Clock $clock,
        private array $losses = [],
        private readonly ?UnableToFlush $drainFailure = null,
        private readonly ?FaultPoint $faultPoint = null,
    ) {
        $this->letters = new RedisDeadLetters($owner->client, $owner->keys, $owner);
        $this->meta = new RedisMeta([]);
        $this->earlier = $checkpoints->all();
    }

    public function source(): Source
    {
        return $this->source;
    }

    public function letters(): RedisDeadLetters
    {
        return $this->letters;
    }

    public function isSynced(): bool
    {
        return false;
    }

    public function seal(): void
    {
        $this->last ??= $this->load();
    }

    public function read(Position $from): iterable
    {
        $last = $this->last ?? '';

        $reader = new StreamReader(
            fn (string $start, string $end, int $bytes): mixed
                => $last === '' ? [] : $this->owner->script(Scripts::READ, [$start, $end, $bytes]),
            $this->owner->bucket,
            $this->meta->totalBefore($from),
            $this->meta->told,
            fn (string $id, array $fields): MissingRange => $this->buryForeign($id, $fields),
        );
        $isSetBack = $this->meta->isBeforeTrimmed($from);

        if ($isSetBack) {
            yield from $this->deliveredBefore($from);
        }

        yield from $reader->read($from, $last);

        // When the last entries are missing, no later entry has a total that would show the loss.
        if ($reader->total !== null && max($reader->total, $this->meta->told) < $this->meta->logged && ! $isSetBack) {
            yield MissingRange::vanished($from, $this->meta->logged - max($reader->total, $this->meta->told));

            $this->owner->script(Scripts::SAVE_REPORTED, [$this->meta->logged]);
        }
    }

    /** Name that the stream got when Redis last lost data: since then a position may belong to another event. */
    public function checksum(Progress $from, Position $to): string
    {
        if ($this->record === null) {
            $this->load();
        }

        return $this->meta->branch;
    }

    public function isWhole(Position $from, Position $to): bool
    {
        return false;
    }

    public function losses(): array
    {
        if (! $this->hasReported) {
            $this->hasReported = true;
            $this->losses = [...$this->losses, ...$this->forgotten()];
        }

        return $this->losses;
    }

    /** @return list<MissingRange> losses that this machine's checkpoints show */
    private function forgotten(): array
    {
        $snapshot = RedisSnapshot::of($this->owner->script(Scripts::LOAD), $this->owner->keys);
        $this->loss = $this->isYielded
            ? null
            : StreamCheck::of($this->owner->client, $this->owner->keys, $snapshot, null, $this->earlier);

        return $this->loss?->missing($this->owner->bucket, $snapshot->meta->node) ?? [];
    }

    public function close(Position $delivered): void
    {
        try {
            // A loss that this flush has not reported is left to the next owner.
            if ($this->isReported()) {
                $this->countLoss();
                // After the report only: the next owner needs the checkpoints from before an unreported loss.
                $this->checkpoints->update($this->owner->client, $this->disk, $this->clock);
            }
        } finally {
            $this->owner->release();
        }

        // Thrown last: a failure of this machine's disk must not hold up the events in Redis.
        if ($this->drainFailure !== null) {
            throw $this->drainFailure;
        }
    }

    /** Also true when there was no loss. */
    private function isReported(): bool
    {
        return $this->hasReported || ($this->losses === [] && $this->forgotten() === []);
    }

    /** From now on, the events of the reported loss count as missing. */
    private function countLoss(): void
    {
        if ($this->loss !== null && $this->loss->forgotten > 0) {
            $this->owner->script(Scripts::COUNT_LOSS, [$this->loss->lost, $this->loss->delivered, $this->loss->found]);
        }

        $this->loss = null;
    }

    public function state(): DeliveryState
    {
        if ($this->record === null) {
            $this->load();
        }

        $flush = $this->record->flush ?? DeliveryState::fresh();

        return $this->meta->logged === 0 ? $flush->asNew() : $flush;
    }

    public function save(DeliveryState $state): void
    {
        if ($this->record === null) {
            $this->load();
        }

        $this->faultPoint?->reached('redis.saving');
        $record = ($this->record ?? new StateRecord(DeliveryState::fresh()))->with($state, $this->clock->micros());
        $first = $state->progress->position->isStart() ? '' : StreamId::of($state->progress->position);
        $logged = $this->owner->script(Scripts::SAVE, [$record->toJson(), $first]);
        $this->record = new StateRecord(
            $record->flush,
            accepted: is_int($logged) ? max(0, $logged) : $record->accepted,
            retriedLetters: $record->retriedLetters,
            flushedAt: $record->flushedAt,
            marks: $record->marks,
        );
        $this->meta = $this->meta->trimmedTo($first);
        $this->faultPoint?->reached('redis.saved');
    }

    public function secure(Position $to): void
    {
        if ($this->record === null) {
            $this->load();
        }

        $floor = max(StreamId::behind($to), $this->meta->floor);
        $replication = Replication::of($this->owner->client, $this->owner->keys->log);
        // Written even without a change, because WAIT waits for the last write of this connection.
        $this->owner->script(Scripts::SECURE, [...$floor, $replication->id]);
        $this->meta = $this->meta->withFloor($floor);
        $this->faultPoint?->reached('redis.securing');

        if ($replication->replicas === 0) {
            return;
        }

        $confirmed = Replication::await(
            $this->owner->client,
            $this->owner->keys->log,
            $replication->replicas,
            self::REPLICA_MILLIS,
        );

        if ($confirmed < $replication->replicas) {
            throw StorageUnavailable::replicasBehind(
                $this->owner->bucket,
                $confirmed,
                $replication->replicas,
                self::REPLICA_MILLIS,
            );
        }
    }

    public function yieldTo(Progress $ledger): bool
    {
        $this->last = $this->load();
        [$client, $keys] = [$this->owner->client, $this->owner->keys];
        $id = Replication::of($client, $keys->log)->id;

        if ($this->meta->replication === '' || $id === $this->meta->replication) {
            return false;
        }

        $check = StreamCheck::behind($client, $keys, RedisSnapshot::take($client, $keys), $ledger, $this->earlier);
        $letters = $this->buryInDoubt($check->from, $ledger->position);
        $record = ($this->record
            ?? new StateRecord(DeliveryState::fresh()))->with($this->state()->at($ledger), $this->clock->micros());
        $this->owner->script(Scripts::YIELD_TO, [
            ...StreamId::behind($ledger->position),
            $id,
            StreamId::of($ledger->position),
            $check->known - $this->meta->forgotten - $this->meta->settled - $check->found,
            $letters,
            $record->toJson(),
            bin2hex(random_bytes(16)),
            $check->missing,
            $check->found,
        ]);
        $this->faultPoint?->reached('redis.yielded');
        $this->losses[] = MissingRange::setBack(
            $ledger->position,
            $this->owner->bucket,
            $check->forgotten,
            $check->lost,
            $letters,
            $check->checkpoint?->time(),
        );
        $this->isYielded = true;
        $this->record = null;
        $this->last = null;

        return true;
    }

    public function isEntry(Position $place): bool
    {
        return StreamPosition::exists($this->owner->client, $this->owner->keys, $place);
    }

    /**
     * Makes dead letters of the stream's events before the ledger's position, because it is unknown whether they were
     * delivered. The letters do not count until the cursor has passed them.
     *
     * @return int number of dead letters
     */
    private function buryInDoubt(Position $from, Position $to): int
    {
        $letters = 0;

        foreach ($this->read($from) as $item) {
            if ($item instanceof MissingRange) {
                $this->losses[] = $item;
            }

            foreach ($item instanceof LogEntries ? $item : [] as $entry) {
                if ($entry->position->compare($to) >= 0) {
                    return $letters;
                }

                $letters += $this->buryEntry($entry, $to);
            }
        }

        return $letters;
    }

    private function buryEntry(LogEntry $entry, Position $to): int
    {
        $inDoubt = new InDoubtEntry(
            $entry,
            new Source($this->meta->node, $this->owner->bucket),
            $this->clock,
            'Redis has lost its latest data, and it is unknown whether this event was delivered before.',
        );
        $letters = $inDoubt->lettersBefore($to);

        foreach ($letters as $letter) {
            $this->letters->add($letter);
        }

        return count($letters);
    }

    /** @param list<mixed> $fields fields of an entry that the buffer did not write */
    private function buryForeign(string $id, array $fields): MissingRange
    {
        $this->owner->script(Scripts::BURY_FOREIGN, [
            $id,
            ForeignEntry::letter($id, $fields, "{$this->meta->node}/{$this->owner->bucket}", $this->clock->micros()),
        ]);
        $this->faultPoint?->reached('redis.set-aside');

        return MissingRange::foreignEntrySetAside(StreamId::position($id), $id);
    }

    /**
     * @return iterable<MissingRange> delivered events that neither the ledger nor Redis has, after a restored database
     */
    private function deliveredBefore(Position $from): iterable
    {
        $gone = $this->meta->trimmed + $this->meta->reckoned - $this->meta->lost - $this->state()->progress->delivered
            - $this->state()->progress->dead;

        if ($gone > 0) {
            yield MissingRange::deliveredBefore($from, $gone);
        }
    }

    /** @return string id of the last entry; empty when the stream is empty */
    private function load(): string
    {
        $snapshot = RedisSnapshot::of($this->owner->script(Scripts::LOAD), $this->owner->keys);
        $this->meta = $snapshot->meta;
        $this->record = $snapshot->record;

        return $snapshot->last;
    }
}
