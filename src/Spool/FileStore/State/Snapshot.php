<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\State;

use Headroom\Core\Position;
use Headroom\Sink\Progress;
use Headroom\Spool\FileStore\Segment\SegmentInfo;
use Headroom\Spool\Store\State\StateRecord;

/**
 * The files of a bucket at one moment, with its state and its ledger. Segments never change and active segments only
 * grow, so a reader may take its time while other processes write and flush.
 *
 * @internal
 */
final readonly class Snapshot
{
    /**
     * @param StateRecord $record without a seal that was recorded and not followed by its rename
     * @param ?Progress $ledger null when the state file decides; it also decides when the ledger belongs to a diverged
     *     copy of the log
     * @param list<SegmentInfo> $segments by sequence number, each once
     * @param list<SegmentInfo> $activeSegments each once, without those that are in $segments
     * @param list<SegmentInfo> $duplicates completed segments whose number a sealed segment has as well
     * @param bool $isStable whether nothing changed while the snapshot was taken
     * @param list<string> $unreadable directories that this user may not read
     * @param bool $isForked whether the ledger belongs to a diverged copy of the log
     */
    public function __construct(
        public StateRecord $record,
        public ?Progress $ledger,
        public array $segments,
        public array $activeSegments,
        public array $duplicates,
        public bool $isStable,
        public array $unreadable,
        public bool $isForked,
    ) {}

    public function progress(): Progress
    {
        return $this->ledger ?? $this->record->flush->progress;
    }

    /** @return list<SegmentInfo> segments from the one of the position on */
    public function segmentsFrom(Position $position): array
    {
        return array_values(array_filter(
            $this->segments,
            static fn (SegmentInfo $file): bool => $file->sequence >= $position->segment,
        ));
    }
}
