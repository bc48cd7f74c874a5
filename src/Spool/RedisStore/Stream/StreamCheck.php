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
 * A stream held against the ledger and against what this machine saw of it: whether Redis was set back,
 * and what that cost.
 *
 * @internal
 */
final readonly class StreamCheck
{
    private const AT_ONCE = 2_000;

    /**
     * @param Progress $progress how far it is delivered
     * @param Position $from where what is not delivered begins
     * @param bool $isSetBack the ledger has a place that this stream does not have
     * @param int $forgotten events that the stream had, and has not
     * @param int $lost of these, accepted ones that were not delivered, as far as they are known
     * @param int $missing those that were lost before as well
     * @param int $known events that ever came into the stream; without what came since it was set back
     * @param int $accepted events, with what came since
     * @param ?DrainCheckpoint $note what shows that some are gone
     * @param int $delivered of the forgotten ones, those that a sink without a ledger has
     * @param int $found of the known ones, those that are letters or become letters, and so are not lost
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
        public ?DrainCheckpoint $note,
        public int $found,
        public int $delivered = 0,
    ) {}

    /**
     * @param ?Progress $ledger null where the sink keeps none
     * @param list<DrainCheckpoint> $notes what this machine saw of it
     *
     * @throws RedisFailure
     */
    public static function of(Client $client, Keys $keys, RedisSnapshot $seen, ?Progress $ledger, array $notes): self
    {
        $last = $seen->record->flush->progress;

        return $ledger !== null
                && $ledger->position->compare($last->position) > 0
                && self::isElsewhere($client, $keys, $seen->meta, $ledger)
            ? self::behind($client, $keys, $seen, $ledger, $notes)
            : self::atItsPlace($client, $keys, $seen, $ledger ?? $last, $notes);
    }

    /**
     * @param string $node the stream's id now
     * @return list<MissingRange> what this machine saw of it before and is gone
     */
    public function missing(string $bucket, string $node): array
    {
        return $this->note === null || $this->forgotten === 0 ? [] : [
            $this->note->node === $node
                ? MissingRange::tailGone($bucket, $this->forgotten, $this->lost, $this->note->time())
                : MissingRange::streamGone($this->note->node, $node, $this->lost, $this->note->time()),
        ];
    }

    private static function isElsewhere(Client $client, Keys $keys, RedisMeta $meta, Progress $ledger): bool
    {
        return ($ledger->checksum !== '' && $ledger->checksum !== $meta->branch)
            || ! StreamPosition::isThere($client, $keys, $ledger->position);
    }

    /** @param list<DrainCheckpoint> $notes */
    private static function atItsPlace(
        Client $client,
        Keys $keys,
        RedisSnapshot $seen,
        Progress $progress,
        array $notes,
    ): self {
        [$forgotten, $saw] = [0, null];

        foreach ($notes as $note) {
            $left = $note->node === $seen->meta->node ? self::totalUpTo($client, $keys, $seen->meta, $note->last) : 0;
            $gone = $note->total - $left;
            [$forgotten, $saw] = $gone > $forgotten ? [$gone, $note] : [$forgotten, $saw];
        }

        $open = min($forgotten, $saw->open ?? 0);
        $found = min($open, $seen->meta->found);
        // What another stream delivered is counted there.
        $delivered = $saw?->node === $seen->meta->node ? $forgotten - $open : 0;

        return new self(
            $progress,
            $progress->position,
            false,
            $forgotten,
            $open - $found,
            $seen->meta->lost + $open - $found,
            $seen->meta->total() + $forgotten,
            $seen->meta->accepted() + $open - $found + $delivered,
            $saw,
            $found,
            $delivered,
        );
    }

    /**
     * Of one that has to yield to the ledger.
     *
     * @param list<DrainCheckpoint> $notes
     */
    public static function behind(Client $client, Keys $keys, RedisSnapshot $seen, Progress $ledger, array $notes): self
    {
        $meta = $seen->meta;
        $last = $seen->record->flush->progress;
        $server = Replication::of($client, $keys->log)->id;
        $isOfOtherServer = $server !== $meta->replication;
        // Without an append since, nothing has noted it yet.
        $isUnnoted = $meta->inherited === '' && $isOfOtherServer && $meta->server === $meta->replication;
        $inherited = $isUnnoted ? $seen->last : $meta->inherited;
        $isBefore = $inherited === '' || StreamId::position($inherited)->compare($last->position) < 0;
        $events = $isBefore ? 0 : BacklogCount::of($client, $keys, $last->position, $inherited, self::AT_ONCE)->events;
        $isDelivered = $isOfOtherServer && $inherited !== '' && $ledger->checksum === $meta->branch
            && StreamId::position($inherited)->compare($ledger->position) < 0
            && $ledger->delivered + $ledger->dead >= $last->delivered + $last->dead + $events;
        // Of a server that was set back before it was set back again, what was missing then is missing still.
        $before = $meta->totalBefore(new Position($last->position->segment, $last->position->offset, 0));
        $counted = $last->delivered + $last->dead;
        $missing = $before === null ? 0 : $before + $last->position->index + $meta->extra() - $counted;
        $delivered = $ledger->delivered + $ledger->dead + $missing;
        // What a writer saw on this server came since.
        $isEarlier = static fn (DrainCheckpoint $note): bool => $note->node === $meta->node
            && $note->server !== $server;
        $notes = array_filter($notes, $isEarlier);
        usort($notes, static fn (DrainCheckpoint $a, DrainCheckpoint $b): int => $b->total <=> $a->total);
        $known = max($delivered, $notes[0]->total ?? 0);
        $found = min($meta->found + ($isDelivered ? 0 : $events), $known - $delivered);
        $waiting = BacklogCount::of($client, $keys, $last->position, $seen->last, self::AT_ONCE)->events;
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
            $known - $meta->settled - $found + $waiting + $meta->aside - $meta->revived,
            $notes[0] ?? null,
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
                'Redis was set back: an older dump of it was put back, or a replica took over that was behind.'
                    .' The ledger has a place that its stream does not have'
                    .($lost === null ? '' : ", and it has forgotten {$lost}").'.',
            $this->forgotten > 0 => 'Redis has forgotten '
                .($lost
                    ?? TerminalText::count($this->forgotten, 'event')
                        .' that it had given to the sink or the dead letters')
                .': it was emptied or restarted without its latest data, an older dump of it was put back, or a replica took over that was behind.',
            default => null,
        };
    }

    /** Events that came up to the place, by what the stream says of the next one. */
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
