<?php

declare(strict_types=1);

namespace Headroom\Spool\Recovery;

/**
 * @internal
 */
final readonly class NewIdBucket
{
    /**
     * @param bool $isForked the ledger knows a log that went another way
     * @param int $waiting events here that are not delivered, as far as this disk knows
     * @param int $elsewhere of them, those that are left to the other copy, as dead letters
     * @param ?int $lastElsewhere when the last of these was accepted, microseconds since the Unix epoch
     * @param ?int $firstOwn when the first that stays was accepted
     */
    public function __construct(
        public string $bucket,
        public bool $isForked,
        public bool $hasLedger,
        public int $waiting,
        public int $elsewhere,
        public ?int $lastElsewhere,
        public ?int $firstOwn,
    ) {}
}
