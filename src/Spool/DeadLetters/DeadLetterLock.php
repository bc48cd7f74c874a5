<?php

declare(strict_types=1);

namespace Headroom\Spool\DeadLetters;

use Headroom\Core\Clock;
use Headroom\Core\Position;
use Headroom\Spool\Exceptions\BucketBusy;
use Headroom\Spool\Exceptions\PartiallyFlushed;
use Headroom\Spool\Store\ConsumerLease;
use Headroom\Spool\Store\CorruptDeadLetter;
use Headroom\Spool\Store\DeadLetter;
use Headroom\Spool\Store\Store;
use Headroom\Spool\UnableToFlush;

/**
 * Leases a bucket for work on its dead letters, so that no flush runs meanwhile.
 *
 * @internal
 */
final readonly class DeadLetterLock
{
    /** Attempts to get the lease, ten milliseconds apart. A flush that is running may hold it that long. */
    private const TRIES = 500;

    /** @param bool $ignoresPartialFlush ignore PartiallyFlushed when the lease is closed */
    public function __construct(
        private Store $store,
        private string $bucket,
        private Clock $clock,
        private bool $ignoresPartialFlush = false,
    ) {}

    /**
     * @param callable(ConsumerLease): int $work
     *
     * @throws UnableToFlush
     */
    public function during(callable $work): int
    {
        $lease = $this->claim();

        try {
            return $work($lease);
        } finally {
            $this->release($lease);
        }
    }

    /**
     * @param list<Position> $positions
     * @return list<DeadLetter|CorruptDeadLetter> the letters at these positions that still exist
     */
    public static function select(ConsumerLease $lease, array $positions): array
    {
        $wanted = array_fill_keys(
            array_map(static fn (Position $position): string => $position->toString(), $positions),
            true,
        );
        // Only the wanted ones are read: there may be a hundred thousand.
        $there = array_filter(
            $lease->letters()->positionsBefore($lease->state()->progress->position),
            static fn (string $position): bool => isset($wanted[$position]),
        );

        return iterator_to_array($lease->letters()->at(array_values($there)), false);
    }

    private function release(ConsumerLease $lease): void
    {
        try {
            $lease->close(Position::start());
        } catch (PartiallyFlushed $e) {
            if (! $this->ignoresPartialFlush) {
                throw $e;
            }
        }
    }

    private function claim(): ConsumerLease
    {
        for ($try = 1; $try < self::TRIES; $try++) {
            $lease = $this->store->claim($this->bucket);

            if ($lease !== null) {
                return $lease;
            }

            $this->clock->sleep(10_000);
        }

        throw BucketBusy::beingFlushed($this->bucket);
    }
}
