<?php

declare(strict_types=1);

namespace Headroom\Spool\Compat;

use Headroom\Sink\Delivery;
use Headroom\Sink\Sink;
use Headroom\Spool\Delivery\CallbackRefused;
use Headroom\Spool\UnableToFlush;

/**
 * The sink that hands events to a callback, at least once. An exception of the callback is passed on unchanged.
 *
 * @internal
 */
final readonly class CallbackSink implements Sink
{
    /** @param string $root directory of the buffer */
    public function __construct(private Callback $callback, private string $root) {}

    public function deliver(Delivery $delivery): void
    {
        $answer = match ($this->callback->input) {
            CallbackInput::File => $this->withFile($delivery),
            CallbackInput::Rows => $this->call(array_map(PlainRow::of(...), $delivery->batch->rows->all()), $delivery),
            CallbackInput::Batch => $this->call($delivery->batch, $delivery),
        };

        match ($answer) {
            true => null,
            false => throw CallbackRefused::returnedFalse($delivery),
            default => throw InvalidCallback::answered(get_debug_type($answer), count($delivery->batch)),
        };
    }

    /** @throws UnableToFlush */
    private function withFile(Delivery $delivery): mixed
    {
        // The destructor removes the file, so the variable must live until the callback returns.
        $file = RowsFile::write(
            $delivery->source->toString(),
            array_map(PlainRow::serialized(...), $delivery->batch->rows->all()),
            $this->root,
        );

        return $this->call($file->path, $delivery);
    }

    private function call(mixed $events, Delivery $delivery): mixed
    {
        return $this->callback->call($events, $delivery->source->bucket, $delivery->id());
    }
}
