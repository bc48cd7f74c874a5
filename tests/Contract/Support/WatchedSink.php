<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract\Support;

use Headroom\Sink\Delivery;
use Headroom\Sink\Sink;

/**
 * Notes which events are handed over, in their order, and under which document id each is to be found.
 */
final class WatchedSink implements Sink
{
    /** @var array<string, string> ids of events by those of their documents */
    public array $ids = [];

    public function __construct(private readonly Sink $sink) {}

    public function deliver(Delivery $delivery): void
    {
        foreach ($delivery->batch as $record) {
            $id = $delivery->idOf($record);
            // By what docs/elasticsearch-sink.md says, and not by the sink's own code.
            $this->ids[substr(strtr(base64_encode((string) hex2bin(hash('sha256', $id))), '+/', '-_'), 0, 22)] = $id;
        }

        $this->sink->deliver($delivery);
    }
}
