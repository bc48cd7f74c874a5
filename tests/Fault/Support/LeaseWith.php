<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Core\FaultPoint;
use Headroom\Core\Position;
use Headroom\Sink\Progress;
use Headroom\Sink\Source;
use Headroom\Spool\Store\ConsumerLease;
use Headroom\Spool\Store\DeadLetterStore;
use Headroom\Spool\Store\State\DeliveryState;

/**
 * A lease with other letters, and points around each state that it saves.
 */
final readonly class LeaseWith implements ConsumerLease
{
    public function __construct(
        private ConsumerLease $lease,
        private DeadLetterStore $letters,
        private ?FaultPoint $faultPoint = null,
    ) {}

    public function source(): Source
    {
        return $this->lease->source();
    }

    public function letters(): DeadLetterStore
    {
        return $this->letters;
    }

    public function isSynced(): bool
    {
        return $this->lease->isSynced();
    }

    public function seal(): void
    {
        $this->lease->seal();
    }

    public function read(Position $from): iterable
    {
        return $this->lease->read($from);
    }

    public function checksum(Progress $from, Position $to): string
    {
        return $this->lease->checksum($from, $to);
    }

    public function isWhole(Position $from, Position $to): bool
    {
        return $this->lease->isWhole($from, $to);
    }

    public function state(): DeliveryState
    {
        return $this->lease->state();
    }

    public function save(DeliveryState $state): void
    {
        $this->faultPoint?->reached('state.saving');
        $this->lease->save($state);
        $this->faultPoint?->reached('state.saved');
    }

    public function close(Position $delivered): void
    {
        $this->lease->close($delivered);
    }
}
