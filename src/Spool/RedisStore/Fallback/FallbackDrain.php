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
 * Brings what went to this machine's disk back into Redis, in order. Redis keeps a cursor for each machine, which moves
 * in the step that takes the frames: what is cut off in the middle goes on where Redis says, and nothing comes twice.
 *
 * @internal
 */
final class FallbackDrain
{
    private const FRAMES = 200;

    private const BYTES = 1_048_576;

    /** A machine must have been silent for five minutes to be forgotten; that its clock was right then is not known. */
    private const FORGOTTEN_MARGIN_MILLIS = 3_600_000;

    /** @var list<MissingRange> what could not be read on disk */
    public array $losses = [];

    /** @var list<string|int> token, payload, events and microseconds in turn */
    private array $frames = [];

    private int $bytes = 0;

    private Progress $progress;

    /** Behind the last frame that was taken up. */
    private ?Position $last = null;

    /** Up to here Redis had taken what it knows nothing of now. */
    private Position $forgotten;

    /** Of that, up to here the sink had it, as this machine knows. */
    private Position $settled;

    /** @var array<string, true> events that another copy of this disk delivers, by place */
    private array $left = [];

    /** Some of it was passed over. */
    private bool $hasPassed = false;

    private readonly DrainCursor $cursor;

    /** Where the last frame ends that was taken up, with the checksum of the log up to there. */
    private Progress $place;

    /** Before this disk was looked at. */
    private Progress $begun;

    /** Where bringing back begins. */
    private Position $from;

    /** What was accepted up to then Redis may have taken: milliseconds since the Unix epoch. */
    private int $doubtfulUntil = 0;

    /**
     * @param ?Closure(string): ?Position $deliveredFromDisk what the sink has of this bucket from this disk,
     *     from before it was in Redis
     * @param int<0, max> $wait replicas that must have what was brought back before this disk forgets it
     */
    public function __construct(
        private readonly Client $client,
        private readonly Keys $keys,
        private readonly FileStore $disk,
        private readonly string $bucket,
        private readonly Clock $clock,
        private readonly ?FaultPoint $checkpoint = null,
        private readonly ?Closure $deliveredFromDisk = null,
        private readonly int $wait = 0,
        int $waitMillis = 100,
        private readonly ?DrainCheckpoint $note = null,
    ) {
        $this->cursor = new DrainCursor($client, $keys, $bucket, $wait, $waitMillis);
        $this->settled = Position::start();
        $this->progress = $this->begun = $this->place = Progress::none();
        $this->forgotten = $this->from = Position::start();
    }

    /**
     * @return ?UnableToFlush what stands in its way, and keeps nobody from delivering what is in Redis:
     *     at maxmemory that alone makes room
     *
     * @throws RedisFailure it does not answer
     */
    public function run(): ?UnableToFlush
    {
        if (Path::isAbsent($this->disk->layout($this->bucket)->directory)) {
            return null;
        }

        try {
            if ($this->disk->isDrained($this->bucket) && ! $this->isSetBack()) {
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

    /** Redis has forgotten some of what it had taken from here. */
    private function isSetBack(): bool
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
        $this->progress = $this->begun = $lease->state()->progress;
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
        $there = $ledger?->position;
        $this->cursor->startAt($cursor ?? DrainCursor::encode($this->progress));

        $this->refuseFork($lease, $ledger);
        $isOfRedis = $lease->state()->isOfRedis();
        // A server that has lost what it had taken, unless this disk was flushed to the sink itself since.
        $isForgotten = $isOfRedis && $there !== null && $there->compare($this->progress->position) < 0;
        $from = $isForgotten ? $there : $this->progress->position;
        $before = ! $isOfRedis && $this->deliveredFromDisk !== null ? ($this->deliveredFromDisk)($this->bucket) : null;
        $from = $before !== null && $before->compare($from) > 0 ? $before : $from;
        $this->from = $from;
        $this->last = null;
        $this->place = $ledger !== null
                && $ledger->position->compare($from) <= 0
                && $ledger->position->compare($this->progress->position) < 0
            ? $ledger
            : $this->progress;
        $this->forgotten = $isForgotten ? $this->progress->position : Position::start();
        $this->settled = $this->note?->settled(is_string($node) ? $node : '') ?? Position::start();

        if ($isOfRedis && $there === null && is_string($forgottenAt)) {
            $this->doubtfulUntil = (int) $forgottenAt + self::FORGOTTEN_MARGIN_MILLIS;
        }

        $this->bring($lease, $from, $there);
    }

    private function bring(ConsumerLease $lease, Position $from, ?Position $there): void
    {
        if ($this->wait > 0) {
            // What was taken before may not be on a replica yet, and is passed over below.
            $this->cursor->moveTo($this->cursor->text(), $lease->source()->node, Scripts::DRAIN, []);
        }

        $lease->seal();
        $this->left = $lease->letters()->settle($from, false);

        foreach ($lease->read($from) as $item) {
            if ($item instanceof MissingRange) {
                $this->losses[] = $item;
            }

            foreach ($item instanceof MissingRange ? [] : $item as $entry) {
                if ($there !== null && $entry->end->compare($there) <= 0) {
                    // Taken by a step of which this disk was not told.
                    $this->note($lease, $entry);

                    continue;
                }

                $this->take($lease, $entry);
            }
        }

        $this->frames === [] && $this->hasPassed ? $this->move($lease, Scripts::DRAIN, []) : $this->send($lease);
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

    private function take(ConsumerLease $lease, LogEntry $entry): void
    {
        $isForgotten = $entry->end->compare($this->forgotten) <= 0;

        if ($isForgotten && $entry->end->compare($this->settled) <= 0) {
            $this->note($lease, $entry, false);
            $this->hasPassed = true;

            return;
        }

        if (isset($this->left[$entry->position->toString()])) {
            $this->note($lease, $entry, false, true);
            $this->hasPassed = true;

            return;
        }

        $fallen = UnconfirmedAppend::of($entry);
        $isOfForgottenNode = intdiv($entry->acceptedAt, 1000) <= $this->doubtfulUntil;
        $isDoubtful = $isForgotten
            || $isOfForgottenNode
            || ($fallen->token !== ''
                && ! $fallen->canBeDecided($this->client, $this->keys, $entry->acceptedAt, $this->clock));

        if ($isDoubtful || count($this->frames) >= 4 * self::FRAMES || $this->bytes >= self::BYTES) {
            $this->send($lease);
        }

        if ($isDoubtful) {
            $this->setAside($lease, $entry, $fallen, match (true) {
                $isForgotten => 'Redis had taken it from this disk and has lost its latest data, and it is not known whether this event was delivered before that.',
                $isOfForgottenNode => 'This disk was forgotten (spool:forget-node) and came back, and it is not known whether Redis had taken this event from it before: it may have been delivered.',
                default => 'Redis was asked to take it and did not answer, and by now Redis no longer knows what it took then: it may have been delivered.',
            });

            return;
        }

        array_push(
            $this->frames,
            $fallen->token,
            $fallen->payload,
            $entry->count - $entry->position->index,
            $entry->acceptedAt,
        );
        $this->bytes += strlen($fallen->payload);
        $this->note($lease, $entry, false);
    }

    private function note(ConsumerLease $lease, LogEntry $entry, bool $isSaved = true, bool $isLeft = false): void
    {
        $isNews = $entry->end->compare($this->progress->position) > 0;
        $checksum = $lease->checksum($this->place, $entry->end);
        $this->place = new Progress($entry->end, checksum: $checksum);
        $events = max(0, $entry->count - $entry->position->index);
        $this->progress = $isNews
            ? new Progress(
                $entry->end,
                $this->progress->delivered + ($isLeft ? 0 : $events),
                $this->progress->dead + ($isLeft ? $events : 0),
                $checksum,
            )
            : $this->progress;
        $this->last = $entry->end;

        if ($isSaved && $isNews) {
            $lease->save($lease->state()->broughtIntoRedis($this->progress));
        }
    }

    private function send(ConsumerLease $lease): void
    {
        if ($this->frames === [] || $this->last === null) {
            return;
        }

        $this->checkpoint?->reached('drain.sending');
        $this->move($lease, Scripts::DRAIN, $this->frames);
        [$this->frames, $this->bytes] = [[], 0];
    }

    private function setAside(ConsumerLease $lease, LogEntry $entry, UnconfirmedAppend $fallen, string $reason): void
    {
        $inDoubt = new InDoubtEntry($entry, $lease->source(), $this->clock, $reason);
        // Redis writes the position that the letter gets there.
        $letters = array_map(
            static fn (DeadLetter $letter): string => str_replace(
                "\"{$letter->position->toString()}\"",
                '"@"',
                DeadLetterCodec::encode($letter),
            ),
            $inDoubt->letters(explode("\n", $fallen->payload)),
        );
        $this->note($lease, $entry, false);
        $this->move($lease, Scripts::SET_ASIDE, [
            $entry->end->compare($this->forgotten) <= 0 ? count($letters) : 0, ...$letters,
        ]);
        $this->losses[] = MissingRange::setAside($entry->position, count($letters), $reason);
    }

    /** @param list<string|int> $arguments */
    private function move(ConsumerLease $lease, string $script, array $arguments): void
    {
        $this->register($lease);
        $to = DrainCursor::encode($this->last === null ? $this->progress : $this->place);
        $this->cursor->moveTo($to, $lease->source()->node, $script, $arguments);
        $this->checkpoint?->reached('drain.sent');
        $lease->save($lease->state()->broughtIntoRedis($this->progress));
    }

    /**
     * Before Redis takes anything, this disk knows that Redis may have: it is asked where Redis has forgotten the disk.
     */
    private function register(ConsumerLease $lease): void
    {
        if ($lease->state()->isOfRedis()) {
            return;
        }

        // First there: a disk that says so and of which Redis knows nothing is one that was forgotten.
        $begun = new Progress(
            $this->from,
            $this->begun->delivered,
            $this->begun->dead,
            $lease->checksum($this->begun, $this->from),
        );
        $to = max(DrainCursor::encode($begun), $this->cursor->text());
        $this->cursor->moveTo($to, $lease->source()->node, Scripts::DRAIN, []);
        $lease->save($lease->state()->broughtIntoRedis($begun));
        $this->checkpoint?->reached('drain.registered');
    }
}
