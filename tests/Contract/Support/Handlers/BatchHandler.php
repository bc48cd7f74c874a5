<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract\Support\Handlers;

use ArrayObject;
use Headroom\Core\Batch;
use Headroom\Sink\Delivery;
use Headroom\Testing\Arrived;

final readonly class BatchHandler
{
    /** @param ArrayObject<int, Arrived> $arrived */
    public function __construct(private ArrayObject $arrived, private Obstacle $obstacle) {}

    public function handle(Batch $events, Delivery $delivery): void
    {
        $this->obstacle->pass();

        foreach ($events as $event) {
            $this->arrived[] = new Arrived($event->values, $delivery->idOf($event));
        }
    }
}
