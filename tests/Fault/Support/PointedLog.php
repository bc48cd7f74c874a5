<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Core\FaultPoint;
use Headroom\Core\Position;
use Headroom\Sink\Progress;
use Headroom\Spool\Store\DeliveryState;
use Headroom\Spool\Store\Log;

final readonly class PointedLog implements Log
{
    public function __construct(private Log $log, private FaultPoint $checkpoint) {}

    public function read(Position $from): iterable
    {
        return $this->log->read($from);
    }

    public function checksum(Progress $from, Position $to): string
    {
        return $this->log->checksum($from, $to);
    }

    public function isWhole(Position $from, Position $to): bool
    {
        return $this->log->isWhole($from, $to);
    }

    public function state(): DeliveryState
    {
        return $this->log->state();
    }

    public function save(DeliveryState $state): void
    {
        $this->checkpoint->reached('state.saving');
        $this->log->save($state);
        $this->checkpoint->reached('state.saved');
    }
}
