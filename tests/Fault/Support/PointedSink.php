<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Core\FaultPoint;
use Headroom\Sink\Delivery;
use Headroom\Sink\Sink;
use Headroom\Sink\SyncsToDisk;

/**
 * A sink whose deliveries can be interrupted before they leave and after they have arrived.
 */
final readonly class PointedSink implements Sink, SyncsToDisk
{
    /** @param string $log a file that gets the id of each delivery */
    public function __construct(private Sink $sink, private FaultPoint $faultPoint, private string $log) {}

    public function deliver(Delivery $delivery): void
    {
        $this->note($delivery);
        $this->pass($delivery);
    }

    public function note(Delivery $delivery): void
    {
        file_put_contents($this->log, "{$delivery->id()}\n", FILE_APPEND);
        $this->faultPoint->reached('sink.called');
    }

    public function pass(Delivery $delivery): void
    {
        $this->sink->deliver($delivery);
        $this->faultPoint->reached('sink.returned');
    }

    public function sync(): void
    {
        if ($this->sink instanceof SyncsToDisk) {
            $this->sink->sync();
        }
    }
}
