<?php

declare(strict_types=1);

namespace Headroom\Dev\Delay;

use SplQueue;

/**
 * One direction of a connection: bytes are read, held until they are due, and written in the same order.
 *
 * @internal
 */
final class Pipe
{
    private const CHUNK_BYTES = 65_536;

    // What may be under way in one direction. At 1 ms one way this lets through 1 GB/s; then the sender has to wait.
    private const MOST_BYTES = 1_048_576;

    /** @var resource|null */
    private mixed $source = null;

    /** @var resource|null */
    private mixed $target = null;

    /** @var SplQueue<string> not due yet; the empty string is the sender's end */
    private readonly SplQueue $held;

    /** Due, and not taken by the target yet. */
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

    /** @return resource|null what there is to be read from, if anything is wanted */
    public function wantsToRead(): mixed
    {
        return $this->endRead || $this->bytes >= self::MOST_BYTES ? null : $this->source;
    }

    /** @return resource|null what there is to be written to, if anything is wanted */
    public function wantsToWrite(): mixed
    {
        return $this->due === '' && ! ($this->endDue && ! $this->endWritten) ? null : $this->target;
    }

    public function isFinished(): bool
    {
        return $this->endWritten;
    }

    /** @return bool whether there is now one more thing that will have to be released when it is due */
    public function read(): bool
    {
        if ($this->source === null) {
            return false;
        }

        // A reset connection is an end like any other; the notice about it tells nothing new.
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

    /** @return bool false when the target is gone */
    public function release(): bool
    {
        $chunk = $this->held->dequeue();
        $this->due .= $chunk;
        $this->endDue = $this->endDue || $chunk === '';

        return $this->target === null || $this->write();
    }

    /** @return bool false when the target is gone */
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
