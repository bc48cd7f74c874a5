<?php

declare(strict_types=1);

namespace Headroom\Spool\Recovery;

/**
 * A bucket of a disk that gets a new id.
 *
 * @internal
 */
final readonly class NewIdBucket
{
    /**
     * @param bool $isForked whether the ledger belongs to a diverged copy of the log
     * @param int $waiting number of events that are not delivered, as far as this disk knows
     * @param int $leftToOtherCopy number of these that are left to the other copy, as dead letters
     * @param ?int $lastLeftToOtherCopy when the last of these was accepted, in microseconds since the Unix epoch
     * @param ?int $firstOwn when the first event that stays was accepted, in microseconds since the Unix epoch
     */
    public function __construct(
        public string $bucket,
        public bool $isForked,
        public bool $hasLedger,
        public int $waiting,
        public int $leftToOtherCopy,
        public ?int $lastLeftToOtherCopy,
        public ?int $firstOwn,
    ) {}
}
