<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract\Support\Handlers;

use ArrayObject;
use Error;
use Headroom\Core\Record;
use Headroom\Sink\Delivery;
use Headroom\Testing\Arrived;

final class EachHandler
{
    private int $calls = 0;

    /** @param ArrayObject<int, Arrived> $arrived */
    public function __construct(private readonly ArrayObject $arrived, private readonly Obstacle $obstacle) {}

    public function handle(Record $event, Delivery $delivery): void
    {
        if (++$this->calls > 1) {
            throw new Error('It is not created again.');
        }

        $this->obstacle->pass();
        $this->arrived[] = new Arrived($event->values, $delivery->idOf($event));
    }
}
