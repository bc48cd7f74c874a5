<?php

declare(strict_types=1);

namespace Headroom\Spool\Compat;

use Headroom\Sink\Delivery;
use Headroom\Sink\Sink;
use Headroom\Spool\Delivery\CallbackRefused;
use Headroom\Spool\InvalidCallback;
use Headroom\Spool\UnableToFlush;

/**
 * Hands events to a callback: at least once. What it throws goes through as it is.
 *
 * @internal
 */
final readonly class CallbackSink implements Sink
{
    /** @param string $root of the buffer */
    public function __construct(private Callback $callback, private string $root) {}

    public function deliver(Delivery $delivery): void
    {
        $answer = match ($this->callback->handedAs) {
            CallbackInput::File => $this->withFile($delivery),
            CallbackInput::Rows => $this->ask(array_map(PlainRow::of(...), $delivery->batch->rows->all()), $delivery),
            CallbackInput::Batch => $this->ask($delivery->batch, $delivery),
        };

        match ($answer) {
            true => null,
            false => throw CallbackRefused::saidNo($delivery),
            default => throw InvalidCallback::answered(get_debug_type($answer), count($delivery->batch)),
        };
    }

    /** @throws UnableToFlush */
    private function withFile(Delivery $delivery): mixed
    {
        // It is there as long as this variable.
        $file = RowsFile::write($delivery->source->toString(), array_map(PlainRow::serialized(...), $delivery->batch->rows->all()), $this->root);

        return $this->ask($file->path, $delivery);
    }

    private function ask(mixed $events, Delivery $delivery): mixed
    {
        return $this->callback->call($events, $delivery->source->bucket, $delivery->id());
    }
}
