<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\State;

use Headroom\Spool\AppendFailure;
use Headroom\Spool\RefusalOutcome;
use JsonException;

/**
 * Counts a bucket's events that were not buffered, by outcome, since the bucket was created.
 *
 * @internal
 */
final readonly class RefusalCounts
{
    /**
     * @param int $direct events that the sink took directly because the buffer could not
     * @param array<string, int> $dropped events by reason: a failure, or rolled_back
     * @param array<string, int> $refused events whose caller got an exception, by failure
     * @param ?int $since time of the first count, in microseconds since the Unix epoch
     * @param int $bypassed events that went to the sink directly because the caller or the configuration asked for it
     * @param ?RefusalIncident $incident the latest one, until its end is logged
     */
    public function __construct(
        public int $direct = 0,
        public array $dropped = [],
        public array $refused = [],
        public ?int $since = null,
        public ?RefusalIncident $incident = null,
        public int $bypassed = 0,
    ) {}

    public function with(AppendFailure $failure, RefusalOutcome $outcome, int $count, int $now): self
    {
        $reason = $outcome === RefusalOutcome::RolledBack ? $outcome->value : $failure->value;
        $isDrop = $outcome === RefusalOutcome::Dropped || $outcome === RefusalOutcome::RolledBack;
        $incident = $this->incident?->isOver($now) === false
            ? $this->incident
            : new RefusalIncident($now, $now, $failure);

        return new self(
            $this->direct + ($outcome === RefusalOutcome::Direct ? $count : 0),
            $isDrop ? self::add($this->dropped, $reason, $count) : $this->dropped,
            $outcome === RefusalOutcome::Thrown ? self::add($this->refused, $reason, $count) : $this->refused,
            $this->since ?? $now,
            $incident->with($failure, $outcome, $count, $now),
            $this->bypassed,
        );
    }

    public function withoutIncident(): self
    {
        return new self($this->direct, $this->dropped, $this->refused, $this->since, bypassed: $this->bypassed);
    }

    public function withBypassed(int $count, int $now): self
    {
        return new self(
            $this->direct,
            $this->dropped,
            $this->refused,
            $this->since ?? $now,
            $this->incident,
            $this->bypassed + $count,
        );
    }

    public function droppedInAll(): int
    {
        return array_sum($this->dropped);
    }

    public function toJson(): string
    {
        return json_encode([
            'direct' => $this->direct,
            'dropped' => (object) $this->dropped,
            'refused' => (object) $this->refused,
            'since' => $this->since,
            'incident' => $this->incident?->toArray(),
            'bypassed' => $this->bypassed,
        ], JSON_THROW_ON_ERROR);
    }

    /** @throws JsonException */
    public static function fromJson(string $json): self
    {
        /**
         * @var array{
         *     direct: int,
         *     dropped: array<string, int>,
         *     refused: array<string, int>,
         *     since: ?int,
         *     incident: ?array{since: int, last: int, failure: string, events: array<string, int>, told: list<string>},
         *     bypassed?: int,
         * } $data the checksum was right, so this package wrote it
         */
        $data = json_decode($json, true, 8, JSON_THROW_ON_ERROR);
        $incident = $data['incident'];

        return new self(
            $data['direct'],
            $data['dropped'],
            $data['refused'],
            $data['since'],
            $incident === null ? null : new RefusalIncident(
                $incident['since'],
                $incident['last'],
                AppendFailure::tryFrom($incident['failure']) ?? AppendFailure::Other,
                $incident['events'],
                $incident['told'],
            ),
            $data['bypassed'] ?? 0,
        );
    }

    /**
     * @param array<string, int> $counts
     * @return array<string, int>
     */
    private static function add(array $counts, string $key, int $count): array
    {
        $counts[$key] = ($counts[$key] ?? 0) + $count;
        ksort($counts);

        return $counts;
    }
}
