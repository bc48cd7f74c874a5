<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

use Headroom\Sink\CreatesSchema;
use Headroom\Sink\Delivery;
use Headroom\Sink\SchemaOptions;
use Headroom\Sink\SchemaStep;
use Headroom\Sink\SchemaStepState;

/**
 * Makes what it needs at once.
 */
final readonly class SetUpSink implements CreatesSchema
{
    public function deliver(Delivery $delivery): void {}

    public function setUp(SchemaOptions $wish): array
    {
        return [new SchemaStep(SchemaStepState::Created, 'data stream events', request: 'PUT /_data_stream/events')];
    }
}
