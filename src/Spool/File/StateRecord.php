<?php

declare(strict_types=1);

namespace Headroom\Spool\File;

use Headroom\Core\Position;
use Headroom\Sink\Progress;
use Headroom\Spool\FlushState;

/**
 * What the state file holds; docs/spool-format.md, "The state file".
 *
 * @internal
 */
final readonly class StateRecord
{
    /**
     * @param int<0, max> $sealed the last sequence number given out
     * @param int<0, max> $accepted events in all segments sealed so far
     * @param int<0, max> $lastCount how many of these the last seal added
     * @param int $lastInode of the slot that the last seal renamed, or was about to
     */
    public function __construct(
        public FlushState $flush,
        public int $sealed = 0,
        public int $accepted = 0,
        public int $lastCount = 0,
        public int $lastInode = 0,
    ) {}

    /** @param int<0, max> $count */
    public function sealing(int $inode, int $count): self
    {
        return new self($this->flush, $this->sealed + 1, $this->accepted + $count, $count, $inode);
    }

    /** The last seal was written down, but its rename never happened. */
    public function takenBack(): self
    {
        return new self($this->flush, max(0, $this->sealed - 1), max(0, $this->accepted - $this->lastCount));
    }

    /** The last seal's file is in its place: its inode must not be looked for any more, since another file may get it. */
    public function settled(): self
    {
        return new self($this->flush, $this->sealed, $this->accepted);
    }

    public function with(FlushState $flush): self
    {
        return new self($flush, $this->sealed, $this->accepted, $this->lastCount, $this->lastInode);
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
            'planned' => $this->flush->planned?->toString(),
            'planned_for' => $this->flush->plannedFor,
        ], JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES);
    }

    public static function fromJson(string $json): self
    {
        /** @var array{sealed: int<0, max>, accepted: int<0, max>, last_count: int<0, max>, last_inode: int, cursor: string, delivered: int<0, max>, dead: int<0, max>, planned: ?string, planned_for: string} $data the checksum was right, so this package wrote it */
        $data = json_decode($json, true, 4, JSON_THROW_ON_ERROR);

        return new self(
            new FlushState(
                new Progress(Position::fromString($data['cursor']), $data['delivered'], $data['dead']),
                $data['planned'] === null ? null : Position::fromString($data['planned']),
                $data['planned_for'],
            ),
            $data['sealed'],
            $data['accepted'],
            $data['last_count'],
            $data['last_inode'],
        );
    }
}
