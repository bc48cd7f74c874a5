<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Stream;

use Headroom\Core\Position;

/**
 * The hash `meta`: what is counted with each append, and how far the stream was cut: docs/redis.md, "The keys".
 *
 * @internal
 */
final readonly class RedisMeta
{
    public string $node;

    /** @var int<0, max> events that ever came into the stream */
    public int $logged;

    /** @var int<0, max> of these, dead letters that came back */
    public int $revived;

    /** @var int<0, max> events that became letters and never were in the stream */
    public int $aside;

    /** Events more than were counted, since Redis had forgotten some that were delivered. */
    public int $reckoned;

    /** @var array{int<0, max>, int<0, max>} the least id that a new entry may have */
    public array $floor;

    /** @var int<0, max> events in the stream before the place at which it was cut last */
    public int $trimmed;

    /** @var int<0, max> total up to which it was told that events vanished */
    public int $told;

    /** That place; "" where it never was. */
    public string $trimmedTo;

    /** Replication id of the server that the last owner delivered from. */
    public string $replication;

    /** Replication id of the server that was used last. */
    public string $server;

    /**
     * The last entry that this server found when it took over; "" where none did since it was held against the ledger.
     */
    public string $inherited;

    /**
     * Name of the stream since it was set back last; "" where it never was. The ledger has it as
     * the checksum of its place.
     */
    public string $branch;

    /** Events that are gone from the stream, and that a sink without a ledger has. */
    public int $forgotten;

    /** Events that are gone from the stream, and are letters. */
    public int $settled;

    /** Events that are gone, and were not delivered, as far as they are known. */
    public int $lost;

    /** Events of a disk that were gone from the stream and are letters now; not counted in $settled yet. */
    public int $found;

    public string $paused;

    /** @param array<string, string> $fields */
    public function __construct(private array $fields)
    {
        $this->node = $fields['node'] ?? '';
        $this->logged = max(0, (int) ($fields['logged'] ?? 0));
        $this->revived = max(0, (int) ($fields['revived'] ?? 0));
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

    /** @param mixed $answer of HGETALL in a script: names and values in turn */
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

    /** Dead letters that came back were counted when they came first. */
    public function accepted(): int
    {
        return $this->logged - $this->revived + $this->aside + $this->reckoned + $this->forgotten;
    }

    /** Events that ever came into the stream, those that it has forgotten as well. */
    public function total(): int
    {
        return $this->logged + $this->extra();
    }

    /** More than it counts by itself. */
    public function extra(): int
    {
        return $this->reckoned + $this->forgotten + $this->settled;
    }

    /** @return ?int events in the stream before the position; null where that can not be known */
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

    /** How many events that are is not known here. */
    public function trimmedTo(string $id): self
    {
        // A cursor that is set back brings no entry back.
        $isNews = $id !== '' && ($this->trimmedTo === '' || StreamId::halves($id) > StreamId::halves($this->trimmedTo));

        return $isNews ? new self(['trimmed_to' => $id.'?'] + $this->fields) : $this;
    }

    /** @param array{int<0, max>, int<0, max>} $floor */
    public function withFloor(array $floor): self
    {
        return new self(['floor_ms' => (string) $floor[0], 'floor_seq' => (string) $floor[1]] + $this->fields);
    }
}
