<?php

declare(strict_types=1);

namespace Headroom\Dev\Delay;

use SplQueue;

/**
 * One direction of a connection. It reads bytes, delays them, and writes them in the same order.
 *
 * @internal
 */
final class Pipe
{
    private const CHUNK_BYTES = 65_536;

    // Limit of delayed bytes in one direction. With a delay of 1 ms it allows 1 GB/s; beyond that the sender has to
    // wait.
    private const MOST_BYTES = 1_048_576;

    /** @var resource|null */
    private mixed $source = null;

    /** @var resource|null */
    private mixed $target = null;

    /** @var SplQueue<string> chunks that are not due yet; an empty string is the end of the stream */
    private readonly SplQueue $held;

    /** Bytes that are due and not written yet. */
    private string $due = '';

    private int $bytes = 0;

    private bool $endRead = false;

    private bool $endDue = false;

    private bool $endWritten = false;

    public function __construct()
    {
        $this->held = new SplQueue;
    }

    /** @param resource $stream non-blocking */
    public function from(mixed $stream): void
    {
        $this->source = $stream;
    }

    /** @param resource $stream non-blocking and connected */
    public function to(mixed $stream): void
    {
        $this->target = $stream;
    }

    /** @return resource|null the stream to watch for reading, if there is room */
    public function wantsToRead(): mixed
    {
        return $this->endRead || $this->bytes >= self::MOST_BYTES ? null : $this->source;
    }

    /** @return resource|null the stream to watch for writing, if there is something to write */
    public function wantsToWrite(): mixed
    {
        return $this->due === '' && ! ($this->endDue && ! $this->endWritten) ? null : $this->target;
    }

    public function isFinished(): bool
    {
        return $this->endWritten;
    }

    /** @return bool true if it has queued a chunk, or the end of the stream */
    public function read(): bool
    {
        if ($this->source === null) {
            return false;
        }

        // A reset is treated as the end of the stream; its notice adds nothing.
        $chunk = @fread($this->source, self::CHUNK_BYTES);

        if ($chunk === false || $chunk === '') {
            $this->endRead = feof($this->source);
            $chunk = '';
        }

        if ($chunk === '' && ! $this->endRead) {
            return false;
        }

        $this->bytes += strlen($chunk);
        $this->held->enqueue($chunk);

        return true;
    }

    /** @return bool false if the target has closed the connection */
    public function release(): bool
    {
        $chunk = $this->held->dequeue();
        $this->due .= $chunk;
        $this->endDue = $this->endDue || $chunk === '';

        return $this->target === null || $this->write();
    }

    /** @return bool false if the target has closed the connection */
    public function write(): bool
    {
        if ($this->target === null) {
            return false;
        }

        if ($this->due !== '') {
            $written = @fwrite($this->target, $this->due);

            if ($written === false) {
                return false;
            }

            $this->due = $written === strlen($this->due) ? '' : substr($this->due, $written);
            $this->bytes -= $written;
        }

        if ($this->due === '' && $this->endDue && ! $this->endWritten) {
            $this->endWritten = true;
            @stream_socket_shutdown($this->target, STREAM_SHUT_WR);
        }

        return true;
    }
}
