<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Stream;

use Headroom\Core\Position;

/**
 * The hash `meta`: the counters that each append changes, and how far the stream was trimmed; docs/redis.md, "The
 * keys".
 *
 * @internal
 */
final readonly class RedisMeta
{
    public string $node;

    /** @var int<0, max> number of events ever added to the stream, as Redis knows it */
    public int $logged;

    /** @var int<0, max> number of these that were dead letters before */
    public int $retriedLetters;

    /** @var int<0, max> number of events that became dead letters and were never in the stream */
    public int $aside;

    /** Number of accepted events that $logged lacks, because Redis has lost data since it counted them. */
    public int $reckoned;

    /** @var array{int<0, max>, int<0, max>} the smallest id that a new entry may have, in two halves */
    public array $floor;

    /** @var int<0, max> number of events before the id up to which the stream was last trimmed */
    public int $trimmed;

    /** @var int<0, max> total number of events up to which missing events were reported */
    public int $told;

    /** The id up to which the stream was last trimmed; empty when it never was. */
    public string $trimmedTo;

    /** Replication id of the server from which the last owner delivered. */
    public string $replication;

    /** Replication id of the server that was used last. */
    public string $server;

    /**
     * Id of the last entry that this server had when it took over; empty when no server has taken over since an owner
     * compared the stream with the ledger.
     */
    public string $inherited;

    /**
     * Name of the stream since Redis last lost data; empty when it never did. The ledger stores it as the checksum of
     * its position.
     */
    public string $branch;

    /** Number of events that are gone from the stream and that a sink without a ledger has. */
    public int $forgotten;

    /** Number of events that are gone from the stream and are dead letters. */
    public int $settled;

    /** Number of events that are gone and were not delivered, as far as they are known. */
    public int $lost;

    /** Number of events of a disk that were gone from the stream and are dead letters now; $settled lacks them yet. */
    public int $found;

    public string $paused;

    /** @param array<string, string> $fields */
    public function __construct(private array $fields)
    {
        $this->node = $fields['node'] ?? '';
        $this->logged = max(0, (int) ($fields['logged'] ?? 0));
        $this->retriedLetters = max(0, (int) ($fields['revived'] ?? 0));
        $this->aside = max(0, (int) ($fields['aside'] ?? 0));
        $this->reckoned = (int) ($fields['reckoned'] ?? 0);
        $this->floor = [max(0, (int) ($fields['floor_ms'] ?? 0)), max(0, (int) ($fields['floor_seq'] ?? 0))];
        $this->trimmed = max(0, (int) ($fields['trimmed'] ?? 0));
        $this->told = max(0, (int) ($fields['told'] ?? 0));
        $this->trimmedTo = $fields['trimmed_to'] ?? '';
        $this->replication = $fields['replication'] ?? '';
        $this->server = $fields['server'] ?? '';
        $this->inherited = $fields['inherited'] ?? '';
        $this->branch = $fields['branch'] ?? '';
        $this->forgotten = (int) ($fields['forgotten'] ?? 0);
        $this->settled = (int) ($fields['settled'] ?? 0);
        $this->lost = (int) ($fields['lost'] ?? 0);
        $this->found = (int) ($fields['found'] ?? 0);
        $this->paused = $fields['paused'] ?? '';
    }

    /** @param mixed $answer reply to HGETALL in a script: names and values alternate */
    public static function of(mixed $answer): self
    {
        $fields = [];
        $answer = is_array($answer) ? array_values($answer) : [];

        for ($at = 0; isset($answer[$at + 1]); $at += 2) {
            if (is_string($answer[$at]) && (is_string($answer[$at + 1]) || is_int($answer[$at + 1]))) {
                $fields[$answer[$at]] = (string) $answer[$at + 1];
            }
        }

        return new self($fields);
    }

    /** Number of accepted events. A retried dead letter was counted when it was first accepted. */
    public function accepted(): int
    {
        return $this->logged - $this->retriedLetters + $this->aside + $this->reckoned + $this->forgotten;
    }

    /** Number of events ever added to the stream, including those that Redis has forgotten. */
    public function total(): int
    {
        return $this->logged + $this->extra();
    }

    /** Number of events that $logged lacks. */
    public function extra(): int
    {
        return $this->reckoned + $this->forgotten + $this->settled;
    }

    /** @return ?int number of events in the stream before the position; null when it is unknown */
    public function totalBefore(Position $from): ?int
    {
        return match (true) {
            $this->trimmedTo === '' => $from->isStart() ? 0 : null,
            $this->trimmedTo === StreamId::of($from) => $this->trimmed,
            default => null,
        };
    }

    public function isBeforeTrimmed(Position $from): bool
    {
        return $this->trimmedTo !== '' && StreamId::halves($this->trimmedTo) > [$from->segment, $from->offset];
    }

    /** The number of events before that id is unknown here, so "?" makes totalBefore() return null. */
    public function trimmedTo(string $id): self
    {
        // Setting the cursor back does not restore a trimmed entry.
        $isFurther = $id !== ''
            && ($this->trimmedTo === '' || StreamId::halves($id) > StreamId::halves($this->trimmedTo));

        return $isFurther ? new self(['trimmed_to' => $id.'?'] + $this->fields) : $this;
    }

    /** @param array{int<0, max>, int<0, max>} $floor */
    public function withFloor(array $floor): self
    {
        return new self(['floor_ms' => (string) $floor[0], 'floor_seq' => (string) $floor[1]] + $this->fields);
    }
}
