<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Stream;

use Headroom\Core\Position;
use Headroom\Sink\Progress;
use Headroom\Spool\RedisStore\Client\Client;
use Headroom\Spool\RedisStore\Client\RedisFailure;
use Headroom\Spool\RedisStore\Client\Replication;
use Headroom\Spool\RedisStore\Fallback\DrainCheckpoint;
use Headroom\Spool\Store\MissingRange;
use Headroom\Support\TerminalText;

/**
 * Compares a stream with the ledger and with this machine's checkpoints, to find out whether Redis has lost data, and
 * how many events.
 *
 * @internal
 */
final readonly class StreamCheck
{
    private const ENTRIES_AT_ONCE = 2_000;

    /**
     * @param Progress $progress how far the bucket is delivered
     * @param Position $from position of the first event that is not delivered
     * @param bool $isSetBack whether the ledger has a position that this stream does not have
     * @param int $forgotten number of events that the stream had and no longer has
     * @param int $lost number of these that were accepted and not delivered, as far as they are known
     * @param int $missing $lost, with the events that were lost before
     * @param int $known number of events ever added to the stream, without those added after the loss
     * @param int $accepted number of accepted events, with those added after the loss
     * @param ?DrainCheckpoint $checkpoint the checkpoint that shows the loss
     * @param int $delivered number of the forgotten events that a sink without a ledger has
     * @param int $found number of the known events that are or become dead letters, and so are not lost
     */
    private function __construct(
        public Progress $progress,
        public Position $from,
        public bool $isSetBack,
        public int $forgotten,
        public int $lost,
        public int $missing,
        public int $known,
        public int $accepted,
        public ?DrainCheckpoint $checkpoint,
        public int $found,
        public int $delivered = 0,
    ) {}

    /**
     * @param ?Progress $ledger null when the sink keeps no ledger
     * @param list<DrainCheckpoint> $checkpoints this machine's checkpoints of the stream
     *
     * @throws RedisFailure
     */
    public static function of(
        Client $client,
        Keys $keys,
        RedisSnapshot $snapshot,
        ?Progress $ledger,
        array $checkpoints,
    ): self {
        $last = $snapshot->record->flush->progress;

        return $ledger !== null
                && $ledger->position->compare($last->position) > 0
                && self::isElsewhere($client, $keys, $snapshot->meta, $ledger)
            ? self::behind($client, $keys, $snapshot, $ledger, $checkpoints)
            : self::atItsPosition($client, $keys, $snapshot, $ledger ?? $last, $checkpoints);
    }

    /**
     * @param string $node the stream's id now
     * @return list<MissingRange> events that this machine saw in the stream and that are gone
     */
    public function missing(string $bucket, string $node): array
    {
        return $this->checkpoint === null || $this->forgotten === 0 ? [] : [
            $this->checkpoint->node === $node
                ? MissingRange::tailGone($bucket, $this->forgotten, $this->lost, $this->checkpoint->time())
                : MissingRange::streamGone($this->checkpoint->node, $node, $this->lost, $this->checkpoint->time()),
        ];
    }

    private static function isElsewhere(Client $client, Keys $keys, RedisMeta $meta, Progress $ledger): bool
    {
        return ($ledger->checksum !== '' && $ledger->checksum !== $meta->branch)
            || ! StreamPosition::exists($client, $keys, $ledger->position);
    }

    /** @param list<DrainCheckpoint> $checkpoints */
    private static function atItsPosition(
        Client $client,
        Keys $keys,
        RedisSnapshot $snapshot,
        Progress $progress,
        array $checkpoints,
    ): self {
        [$forgotten, $checkpoint] = [0, null];

        foreach ($checkpoints as $each) {
            $left = $each->node === $snapshot->meta->node
                ? self::totalUpTo($client, $keys, $snapshot->meta, $each->last)
                : 0;
            $gone = $each->total - $left;
            [$forgotten, $checkpoint] = $gone > $forgotten ? [$gone, $each] : [$forgotten, $checkpoint];
        }

        $open = min($forgotten, $checkpoint->open ?? 0);
        $found = min($open, $snapshot->meta->found);
        // Events that were delivered from another stream are counted there.
        $delivered = $checkpoint?->node === $snapshot->meta->node ? $forgotten - $open : 0;

        return new self(
            $progress,
            $progress->position,
            false,
            $forgotten,
            $open - $found,
            $snapshot->meta->lost + $open - $found,
            $snapshot->meta->total() + $forgotten,
            $snapshot->meta->accepted() + $open - $found + $delivered,
            $checkpoint,
            $found,
            $delivered,
        );
    }

    /**
     * Checks a stream that is behind its ledger, so that the ledger decides.
     *
     * @param list<DrainCheckpoint> $checkpoints
     */
    public static function behind(
        Client $client,
        Keys $keys,
        RedisSnapshot $snapshot,
        Progress $ledger,
        array $checkpoints,
    ): self {
        $meta = $snapshot->meta;
        $last = $snapshot->record->flush->progress;
        $server = Replication::of($client, $keys->log)->id;
        $isOfOtherServer = $server !== $meta->replication;
        // If no append or claim has reached this server yet, no script has stored the last entry that it had.
        $isUnknown = $meta->inherited === '' && $isOfOtherServer && $meta->server === $meta->replication;
        $inherited = $isUnknown ? $snapshot->last : $meta->inherited;
        $isBefore = $inherited === '' || StreamId::position($inherited)->compare($last->position) < 0;
        $events = $isBefore
            ? 0
            : BacklogCount::of($client, $keys, $last->position, $inherited, self::ENTRIES_AT_ONCE)->events;
        $isDelivered = $isOfOtherServer && $inherited !== '' && $ledger->checksum === $meta->branch
            && StreamId::position($inherited)->compare($ledger->position) < 0
            && $ledger->delivered + $ledger->dead >= $last->delivered + $last->dead + $events;
        // Redis may lose data a second time. Events that were missing before are still missing.
        $before = $meta->totalBefore(new Position($last->position->segment, $last->position->offset, 0));
        $counted = $last->delivered + $last->dead;
        $missing = $before === null ? 0 : $before + $last->position->index + $meta->extra() - $counted;
        $delivered = $ledger->delivered + $ledger->dead + $missing;
        // A writer's checkpoint from this server counts events that were added after the loss, so it is left out.
        $isEarlier = static fn (DrainCheckpoint $checkpoint): bool => $checkpoint->node === $meta->node
            && $checkpoint->server !== $server;
        $checkpoints = array_filter($checkpoints, $isEarlier);
        usort($checkpoints, static fn (DrainCheckpoint $a, DrainCheckpoint $b): int => $b->total <=> $a->total);
        $known = max($delivered, $checkpoints[0]->total ?? 0);
        $found = min($meta->found + ($isDelivered ? 0 : $events), $known - $delivered);
        $waiting = BacklogCount::of($client, $keys, $last->position, $snapshot->last, self::ENTRIES_AT_ONCE)->events;
        $waiting -= $isDelivered ? $events : 0;
        [$millis, $sequence] = StreamId::halves($inherited);

        return new self(
            $ledger,
            $isDelivered && $events > 0 ? new Position($millis, $sequence + 1, 0) : $last->position,
            true,
            max(0, $known - ($before ?? 0) - $meta->extra() - $events),
            $known - $delivered - $found,
            $known - $meta->forgotten - $meta->settled - $found - $ledger->delivered - $ledger->dead,
            $known,
            $known - $meta->settled - $found + $waiting + $meta->aside - $meta->retriedLetters,
            $checkpoints[0] ?? null,
            $found,
        );
    }

    public function words(): ?string
    {
        $lost = $this->lost > 0
            ? 'at least '.TerminalText::count($this->lost, 'event').' that it had accepted and that were not delivered'
            : null;

        return match (true) {
            $this->isSetBack =>
                'Redis was set back: an older dump was restored, or a replica took over that was behind.'
                    .' The ledger has a position that the stream does not have'
                    .($lost === null ? '' : ", and Redis has forgotten {$lost}").'.',
            $this->forgotten > 0 => 'Redis has forgotten '
                .($lost
                    ?? TerminalText::count($this->forgotten, 'event')
                        .' that were delivered or are dead letters')
                .': it was emptied or restarted without its latest data, an older dump was restored, or a replica took'
                .' over that was behind.',
            default => null,
        };
    }

    /** Number of events up to and with the entry of that id, as the entry after it says. */
    private static function totalUpTo(Client $client, Keys $keys, RedisMeta $meta, string $last): int
    {
        $next = $last === ''
            ? null
            : $client->command($keys->log, ['XRANGE', $client->key($keys->log), "({$last}", '+', 'COUNT', 1]);
        [$id, $fields] = is_array($next) && is_array($next[0] ?? null) ? array_values($next[0]) + ['', []] : ['', []];
        $entry = is_string($id) && is_array($fields) ? StreamEntry::of($id, array_values($fields)) : null;

        return ($entry === null ? $meta->logged : $entry->total - $entry->count) + $meta->extra();
    }
}
