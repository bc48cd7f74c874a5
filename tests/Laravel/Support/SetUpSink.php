<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

use Headroom\Sink\Delivery;
use Headroom\Sink\SetsUp;
use Headroom\Sink\SetupState;
use Headroom\Sink\SetupStep;
use Headroom\Sink\SetupWish;

/**
 * Makes what it needs at once.
 */
final readonly class SetUpSink implements SetsUp
{
    public function deliver(Delivery $delivery): void {}

    public function setUp(SetupWish $wish): array
    {
        return [new SetupStep(SetupState::Made, 'data stream events', request: 'PUT /_data_stream/events')];
    }
}
