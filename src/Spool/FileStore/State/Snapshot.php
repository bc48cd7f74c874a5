<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\State;

use Headroom\Core\Position;
use Headroom\Sink\Progress;
use Headroom\Spool\FileStore\Segment\SegmentInfo;
use Headroom\Spool\Store\StateRecord;

/**
 * Which files a bucket had at one moment, and what state and ledger said then. Segments never change and slots only
 * grow, so that reading them may take as long as it likes while others write and flush.
 *
 * @internal
 */
final readonly class Snapshot
{
    /**
     * @param StateRecord $record without a seal that was written down and never came to its rename
     * @param ?Progress $ledger null when the state is the truth, as it is where the ledger knows a
     *     log that went another way
     * @param list<SegmentInfo> $segments by sequence, each once
     * @param list<SegmentInfo> $slots
     * @param list<SegmentInfo> $twice completed ones whose number a sealed one has, too
     * @param bool $isStable nothing moved while it was taken
     * @param list<string> $unreadable directories this user may not read
     * @param bool $isForked the ledger knows a log that went another way
     */
    public function __construct(
        public StateRecord $record,
        public ?Progress $ledger,
        public array $segments,
        public array $slots,
        public array $twice,
        public bool $isStable,
        public array $unreadable,
        public bool $isForked,
    ) {}

    public function progress(): Progress
    {
        return $this->ledger ?? $this->record->flush->progress;
    }

    /** @return list<SegmentInfo> that hold what is not delivered, or end where the cursor stands */
    public function segmentsFrom(Position $position): array
    {
        return array_values(array_filter(
            $this->segments,
            static fn (SegmentInfo $file): bool => $file->sequence >= $position->segment,
        ));
    }
}
