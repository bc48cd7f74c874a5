<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore;

use Headroom\Core\Clock;
use Headroom\Core\FaultPoint;
use Headroom\Core\Position;
use Headroom\Sink\Progress;
use Headroom\Sink\Source;
use Headroom\Spool\Encoding\DeadLetterCodec;
use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\FileStore\FileStore;
use Headroom\Spool\RedisStore\Client\Replication;
use Headroom\Spool\RedisStore\Fallback\DrainCheckpoint;
use Headroom\Spool\RedisStore\Fallback\DrainCheckpoints;
use Headroom\Spool\RedisStore\Stream\ForeignEntry;
use Headroom\Spool\RedisStore\Stream\RedisMeta;
use Headroom\Spool\RedisStore\Stream\RedisSnapshot;
use Headroom\Spool\RedisStore\Stream\Scripts;
use Headroom\Spool\RedisStore\Stream\StreamCheck;
use Headroom\Spool\RedisStore\Stream\StreamId;
use Headroom\Spool\RedisStore\Stream\StreamPosition;
use Headroom\Spool\RedisStore\Stream\StreamReader;
use Headroom\Spool\Store\CanLoseTail;
use Headroom\Spool\Store\ConsumerLease;
use Headroom\Spool\Store\DeadLetter;
use Headroom\Spool\Store\DeliveryState;
use Headroom\Spool\Store\LogEntries;
use Headroom\Spool\Store\LogEntry;
use Headroom\Spool\Store\MissingRange;
use Headroom\Spool\Store\Replicated;
use Headroom\Spool\Store\StateRecord;
use Headroom\Spool\UnableToFlush;

/**
 * A bucket's stream, read and cut by its owner.
 *
 * @internal
 */
final class RedisLease implements CanLoseTail, ConsumerLease, Replicated
{
    /**
     * A replica on the same network confirms within milliseconds; and the connection waits for an answer no longer than
     * a second, unless it is told to.
     */
    private const REPLICA_MILLIS = 500;

    private readonly RedisDeadLetters $letters;

    private ?StateRecord $record = null;

    private RedisMeta $meta;

    /** The entry that seal() found to be the last one; "" where there was none. */
    private ?string $last = null;

    private bool $hasTold = false;

    /** What this stream lacks is counted by that. */
    private bool $isYielded = false;

    /**
     * What this machine saw that is not in it any more; null until it is asked for, or where that is counted already.
     */
    private ?StreamCheck $gone = null;

    /** @var list<DrainCheckpoint> what this machine saw of the stream before */
    private readonly array $notes;

    /**
     * @param list<MissingRange> $losses found before this process became the owner
     * @param ?UnableToFlush $obstacle why events of this machine's disk could not be brought into Redis
     */
    public function __construct(
        private readonly Source $source,
        private readonly Ownership $owner,
        private readonly FileStore $disk,
        private readonly DrainCheckpoints $checkpoints,
        private readonly Clock $clock,
        private array $losses = [],
        private readonly ?UnableToFlush $obstacle = null,
        private readonly ?FaultPoint $checkpoint = null,
    ) {
        $this->letters = new RedisDeadLetters($owner->client, $owner->keys, $owner);
        $this->meta = new RedisMeta([]);
        $this->notes = $checkpoints->all();
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
            fn (string $id, array $fields): MissingRange => $this->setAside($id, $fields),
        );
        $isSetBack = $this->meta->isBeforeTrimmed($from);

        if ($isSetBack) {
            yield from $this->setBack($from);
        }

        yield from $reader->read($from, $last);

        // Nothing is behind it that could tell.
        if ($reader->total !== null && max($reader->total, $this->meta->told) < $this->meta->logged && ! $isSetBack) {
            yield MissingRange::vanished($from, $this->meta->logged - max($reader->total, $this->meta->told));

            $this->owner->script(Scripts::NOTE_LOSS, [$this->meta->logged]);
        }
    }

    /** What was delivered from a stream that was set back since has a place in another one. */
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
        if (! $this->hasTold) {
            $this->hasTold = true;
            $this->losses = [...$this->losses, ...$this->forgotten()];
        }

        return $this->losses;
    }

    /** @return list<MissingRange> */
    private function forgotten(): array
    {
        $seen = RedisSnapshot::of($this->owner->script(Scripts::LOAD), $this->owner->keys);
        $this->gone = $this->isYielded
            ? null
            : StreamCheck::of($this->owner->client, $this->owner->keys, $seen, null, $this->notes);
        $note = $this->gone?->checkpoint;

        return $this->gone === null || $note === null || $this->gone->forgotten === 0 ? [] : [
            $note->node === $seen->meta->node
                ? MissingRange::tailGone($this->owner->bucket, $this->gone->forgotten, $this->gone->lost, $note->time())
                : MissingRange::streamGone($note->node, $seen->meta->node, $this->gone->lost, $note->time()),
        ];
    }

    public function close(Position $delivered): void
    {
        try {
            // Otherwise the next owner is to report what is gone.
            if ($this->isTold()) {
                $this->reckon();
                // At the end: where a loss was not reported, the next owner compares with the notes from before it.
                $this->checkpoints->update($this->owner->client, $this->disk, $this->clock);
            }
        } finally {
            $this->owner->client->script(Scripts::RELEASE, $this->owner->keys->all(), [$this->owner->token]);
        }

        // Only now: a fault of this machine's disk must not hold up the events in Redis.
        if ($this->obstacle !== null) {
            throw $this->obstacle;
        }
    }

    /** Or there was nothing to tell. */
    private function isTold(): bool
    {
        return $this->hasTold || ($this->losses === [] && $this->forgotten() === []);
    }

    /** What is gone, and was told, counts as missing from now on. */
    private function reckon(): void
    {
        if ($this->gone !== null && $this->gone->forgotten > 0) {
            $this->owner->script(Scripts::RECKON, [$this->gone->lost, $this->gone->delivered, $this->gone->found]);
        }

        $this->gone = null;
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

        $this->checkpoint?->reached('redis.saving');
        $record = ($this->record ?? new StateRecord(DeliveryState::fresh()))->with($state, $this->clock->micros());
        $first = $state->progress->position->isStart() ? '' : StreamId::of($state->progress->position);
        $logged = $this->owner->script(Scripts::SAVE, [$record->toJson(), $first]);
        $this->record = new StateRecord(
            $record->flush,
            accepted: is_int($logged) ? max(0, $logged) : $record->accepted,
            revived: $record->revived,
            flushedAt: $record->flushedAt,
            marks: $record->marks,
        );
        $this->meta = $this->meta->trimmedTo($first);
        $this->checkpoint?->reached('redis.saved');
    }

    public function secure(Position $to): void
    {
        if ($this->record === null) {
            $this->load();
        }

        $floor = max(StreamId::behind($to), $this->meta->floor);
        $replication = Replication::of($this->owner->client, $this->owner->keys->log);
        // Also where it is no news: WAIT waits for what this connection wrote last.
        $this->owner->script(Scripts::SECURE, [...$floor, $replication->id]);
        $this->meta = $this->meta->withFloor($floor);
        $this->checkpoint?->reached('redis.securing');

        if ($replication->replicas === 0) {
            return;
        }

        $confirmed = $this->owner->client->command(
            $this->owner->keys->log,
            ['WAIT', $replication->replicas, self::REPLICA_MILLIS],
        );

        if (! is_int($confirmed) || $confirmed < $replication->replicas) {
            throw StorageUnavailable::replicasBehind(
                $this->owner->bucket,
                is_int($confirmed) ? $confirmed : 0,
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

        $standing = StreamCheck::behind($client, $keys, RedisSnapshot::take($client, $keys), $ledger, $this->notes);
        $aside = $this->buryDoubtful($standing->from, $ledger->position);
        $record = ($this->record
            ?? new StateRecord(DeliveryState::fresh()))->with($this->state()->at($ledger), $this->clock->micros());
        $this->owner->script(Scripts::YIELD_TO, [
            ...StreamId::behind($ledger->position),
            $id,
            StreamId::of($ledger->position),
            $standing->known - $this->meta->forgotten - $this->meta->settled - $standing->found,
            $aside,
            $record->toJson(),
            bin2hex(random_bytes(16)),
            $standing->missing,
            $standing->found,
        ]);
        $this->checkpoint?->reached('redis.yielded');
        $this->losses[] = MissingRange::setBack(
            $ledger->position,
            $this->owner->bucket,
            $standing->forgotten,
            $standing->lost,
            $aside,
            $standing->checkpoint?->time(),
        );
        $this->isYielded = true;
        $this->record = null;
        $this->last = null;

        return true;
    }

    public function isPlace(Position $place): bool
    {
        return StreamPosition::isThere($this->owner->client, $this->owner->keys, $place);
    }

    /**
     * @return int events that lie before the place up to which the ledger has everything; each is a letter now, which
     *     is void as long as the cursor is not behind it
     */
    private function buryDoubtful(Position $from, Position $to): int
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
        $letters = 0;

        foreach (explode("\n", $entry->payload) as $index => $line) {
            $place = new Position($entry->position->segment, $entry->position->offset, min(65_535, $index));

            if ($index < $entry->position->index || $place->compare($to) >= 0) {
                continue;
            }

            $letter = DeadLetterCodec::encode(new DeadLetter(
                $place,
                (new Source($this->meta->node, $this->owner->bucket))->idOf($place, $entry->acceptedAt),
                $entry->acceptedAt,
                $this->clock->micros(),
                'redis',
                'Redis has lost its latest data, and it is not known whether this event was delivered before that.',
                $line,
            ));
            $this->owner->script(Scripts::BURY, [$place->toString(), $letter]);
            $letters++;
        }

        return $letters;
    }

    /** @param list<mixed> $fields of an entry that the buffer did not make */
    private function setAside(string $id, array $fields): MissingRange
    {
        $this->owner->script(Scripts::SET_STRANGE_ASIDE, [
            $id,
            ForeignEntry::letter($id, $fields, "{$this->meta->node}/{$this->owner->bucket}", $this->clock->micros()),
        ]);
        $this->checkpoint?->reached('redis.set-aside');

        return MissingRange::strangeSetAside(StreamId::position($id), $id);
    }

    /** @return iterable<MissingRange> */
    private function setBack(Position $from): iterable
    {
        $gone = $this->meta->trimmed + $this->meta->reckoned - $this->meta->lost - $this->state()->progress->delivered
            - $this->state()->progress->dead;

        if ($gone > 0) {
            yield MissingRange::deliveredBefore($from, $gone);
        }
    }

    /**
     * Letters back into the stream.
     *
     * @param list<string|int> $letters place, line and microseconds in turn
     */
    public function revive(array $letters): int
    {
        $revived = $this->owner->script(Scripts::REVIVE, $letters);

        return is_int($revived) ? $revived : 0;
    }

    /** @param list<string> $places */
    public function forget(array $places): void
    {
        $this->owner->script(Scripts::FORGET, $places);
    }

    /** @return string the last entry's id, "" where there is none */
    private function load(): string
    {
        $seen = RedisSnapshot::of($this->owner->script(Scripts::LOAD), $this->owner->keys);
        $this->meta = $seen->meta;
        $this->record = $seen->record;

        return $seen->last;
    }
}
