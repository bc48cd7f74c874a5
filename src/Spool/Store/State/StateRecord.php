<?php

declare(strict_types=1);

namespace Headroom\Spool\Store\State;

use Headroom\Core\Position;
use Headroom\Sink\Progress;
use Headroom\Spool\Exceptions\UnsupportedFormat;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\FileOperation;
use Throwable;

/**
 * The contents of the state file; docs/spool-format.md, "The state file".
 *
 * @internal
 */
final readonly class StateRecord
{
    /** The interval between two samples of the throughput. */
    private const MARK_MICROS = 60_000_000;

    /**
     * @param int<0, max> $sealed the last sequence number that a sealer assigned
     * @param int<0, max> $accepted events in all segments sealed so far
     * @param int<0, max> $lastCount events that the last seal added
     * @param int $lastInode inode of the active segment that the last seal renamed, or was about to rename
     * @param int<0, max> $retriedLetters accepted events that are retried dead letters
     * @param int<0, max> $retrySegment last segment of such events while their dead letters may still exist;
     *     otherwise 0
     * @param int $flushedAt when the cursor last moved, microseconds since the Unix epoch; 0 is never
     * @param list<ThroughputSample> $marks one or two samples, the older first
     */
    public function __construct(
        public DeliveryState $flush,
        public int $sealed = 0,
        public int $accepted = 0,
        public int $lastCount = 0,
        public int $lastInode = 0,
        public int $retriedLetters = 0,
        public int $retrySegment = 0,
        public int $flushedAt = 0,
        public array $marks = [],
    ) {}

    /** @param int<0, max> $count */
    public function sealing(int $inode, int $count, bool $isRetry = false): self
    {
        return $this->changed([
            'sealed' => $this->sealed + 1,
            'accepted' => $this->accepted + $count,
            'lastCount' => $count,
            'lastInode' => $inode,
            'retriedLetters' => $this->retriedLetters + ($isRetry ? $count : 0),
            'retrySegment' => $isRetry ? $this->sealed + 1 : $this->retrySegment,
        ]);
    }

    /** Undoes the last seal, which was saved but whose rename never happened. */
    public function sealUndone(): self
    {
        $wasRetry = $this->retrySegment === $this->sealed;

        return $this->changed([
            'sealed' => max(0, $this->sealed - 1),
            'accepted' => max(0, $this->accepted - $this->lastCount),
            'lastCount' => 0,
            'lastInode' => 0,
            'retriedLetters' => $wasRetry ? max(0, $this->retriedLetters - $this->lastCount) : $this->retriedLetters,
            'retrySegment' => $wasRetry ? 0 : $this->retrySegment,
        ]);
    }

    /**
     * The file of the last seal is in place. Its inode must not be looked up any more, because another file may get it.
     */
    public function sealCompleted(): self
    {
        return $this->changed(['lastCount' => 0, 'lastInode' => 0]);
    }

    /** The dead letters of retried events are removed. */
    public function lettersRemoved(): self
    {
        return $this->changed(['retrySegment' => 0]);
    }

    public function with(DeliveryState $flush, int $now): self
    {
        $moved = ! $flush->progress->position->equals($this->flush->progress->position);
        $mark = new ThroughputSample($now, $this->accepted, $flush->progress->delivered);
        $newest = $this->marks[count($this->marks) - 1] ?? null;
        $isDue = $newest === null || $now < $newest->at || $now - $newest->at >= self::MARK_MICROS;

        return $this->changed([
            'flush' => $flush,
            'flushedAt' => $moved ? $now : $this->flushedAt,
            'marks' => $isDue ? array_slice([...$this->marks, $mark], -2) : $this->marks,
        ]);
    }

    /**
     * @param array{
     *     flush?: DeliveryState,
     *     sealed?: int<0, max>,
     *     accepted?: int<0, max>,
     *     lastCount?: int<0, max>,
     *     lastInode?: int,
     *     retriedLetters?: int<0, max>,
     *     retrySegment?: int<0, max>,
     *     flushedAt?: int,
     *     marks?: list<ThroughputSample>,
     * } $changes
     */
    private function changed(array $changes): self
    {
        return new self(...$changes + [
            'flush' => $this->flush,
            'sealed' => $this->sealed,
            'accepted' => $this->accepted,
            'lastCount' => $this->lastCount,
            'lastInode' => $this->lastInode,
            'retriedLetters' => $this->retriedLetters,
            'retrySegment' => $this->retrySegment,
            'flushedAt' => $this->flushedAt,
            'marks' => $this->marks,
        ]);
    }

    public function toJson(): string
    {
        return json_encode([
            'sealed' => $this->sealed,
            'accepted' => $this->accepted,
            'last_count' => $this->lastCount,
            'last_inode' => $this->lastInode,
            'cursor' => $this->flush->progress->position->toString(),
            'delivered' => $this->flush->progress->delivered,
            'dead' => $this->flush->progress->dead,
            'planned' => $this->flush->intent->to?->toString(),
            'planned_for' => $this->flush->intent->for,
            ...$this->rareMembers(),
        ], JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE);
    }

    /** @return array<string, mixed> members that are left out when they are empty */
    private function rareMembers(): array
    {
        $retry = $this->flush->retry;

        return array_filter([
            'checksum' => $this->flush->progress->checksum === '' ? 0 : $this->flush->progress->checksum,
            'refused_in_row' => $this->flush->refusedInRow,
            'trouble' => $retry === null
                ? 0
                : [
                    'attempts' => $retry->attempts,
                    'since' => $retry->since,
                    'next_try' => $retry->nextTry,
                    'reason' => $retry->reason,
                ] + ($retry->retryAfter === 0 ? [] : ['retry_after' => $retry->retryAfter]),
            'under_way' => $this->flush->intent->isUnderWay ? 1 : 0,
            'replayed' => $this->flush->replayed,
            'replayed_dead' => $this->flush->replayedLetters,
            'failed' => $this->flush->failed,
            'retried' => $this->flush->retried,
            'left' => $this->flush->partialFailure ?? 0,
            'revived' => $this->retriedLetters,
            'revival' => $this->retrySegment,
            'flushed_at' => $this->flushedAt,
            'marks' => array_map(
                static fn (ThroughputSample $mark): array => [$mark->at, $mark->accepted, $mark->delivered],
                $this->marks,
            ),
            'planned_from' => $this->flush->intent->from?->toString() ?? 0,
            'taken' => $this->flush->tokens->taken ?? 0,
            'tried' => $this->flush->tried === null
                ? 0
                : [$this->flush->tried->position->toString(), $this->flush->tried->times],
        ], static fn (mixed $member): bool => $member !== 0 && $member !== []);
    }

    /**
     * @param string $place a path or a key, for the message
     *
     * @throws UnableToFlush
     */
    public static function fromJson(string $json, string $place): self
    {
        try {
            // PHP raises a warning for a missing member, and run() throws it as an exception.
            return FileOperation::run(static fn (): self => self::parse($json));
        } catch (Throwable $e) {
            throw UnsupportedFormat::ofState($place, $e->getMessage());
        }
    }

    /** A record of an earlier version has fewer members. */
    private static function parse(string $json): self
    {
        /**
         * @var array{
         *     sealed: int<0, max>,
         *     accepted: int<0, max>,
         *     last_count: int<0, max>,
         *     last_inode: int,
         *     cursor: string,
         *     delivered: int<0, max>,
         *     dead: int<0, max>,
         *     planned: ?string,
         *     planned_for: string,
         *     checksum?: string,
         *     refused_in_row?: int<0, max>,
         *     trouble?: ?array{
         *         attempts: int<1, max>,
         *         since: int,
         *         next_try: int,
         *         reason: string,
         *         retry_after?: int<0, max>,
         *     },
         *     replayed?: int<0, max>,
         *     replayed_dead?: int<0, max>,
         *     revived?: int<0, max>,
         *     revival?: int<0, max>,
         *     flushed_at?: int,
         *     marks?: list<array{int, int, int}>,
         *     planned_from?: string,
         *     taken?: list<array{int, int<0, max>}>,
         *     tried?: array{string, int<1, max>},
         *     under_way?: int,
         *     failed?: int<0, max>,
         *     retried?: int<0, max>,
         *     left?: string,
         * } $data the checksum was right, so this package wrote it
         */
        $data = json_decode($json, true, 4, JSON_THROW_ON_ERROR);
        $retry = $data['trouble'] ?? null;

        return new self(
            new DeliveryState(
                new Progress(
                    Position::fromString($data['cursor']),
                    $data['delivered'],
                    $data['dead'],
                    $data['checksum'] ?? '',
                ),
                new Intent(
                    $data['planned'] === null ? null : Position::fromString($data['planned']),
                    $data['planned_for'],
                    isset($data['planned_from']) ? Position::fromString($data['planned_from']) : null,
                    isset($data['under_way']),
                ),
                $retry === null ? null : new RetryState(
                    $retry['attempts'],
                    $retry['since'],
                    $retry['next_try'],
                    $retry['reason'],
                    $retry['retry_after'] ?? 0,
                ),
                $data['refused_in_row'] ?? 0,
                $data['replayed'] ?? 0,
                tokens: isset($data['taken']) ? new RateWindow($data['taken']) : null,
                tried: isset($data['tried'])
                    ? new Attempts(Position::fromString($data['tried'][0]), $data['tried'][1])
                    : null,
                failed: $data['failed'] ?? 0,
                retried: $data['retried'] ?? 0,
                partialFailure: $data['left'] ?? null,
                replayedLetters: $data['replayed_dead'] ?? 0,
            ),
            $data['sealed'],
            $data['accepted'],
            $data['last_count'],
            $data['last_inode'],
            $data['revived'] ?? 0,
            $data['revival'] ?? 0,
            $data['flushed_at'] ?? 0,
            array_map(
                static fn (array $mark): ThroughputSample => new ThroughputSample(...$mark),
                $data['marks'] ?? [],
            ),
        );
    }
}
