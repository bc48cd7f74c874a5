<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Sink\Delivery;
use Headroom\Sink\ExactlyOnce;
use Headroom\Sink\Progress;
use Headroom\Sink\Source;

/**
 * Says what a sink with a cursor must not say.
 */
final readonly class PartlyOnceSink implements ExactlyOnce
{
    public function deliver(Delivery $delivery): void
    {
        throw SomeAreBad::those([0 => 'bad']);
    }

    public function progress(Source $source): Progress
    {
        return Progress::none();
    }

    public function register(Source $source): void {}

    public function move(Source $source, Progress $from, Progress $to): void {}
}
