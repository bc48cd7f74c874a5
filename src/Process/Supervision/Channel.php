<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

use Headroom\Support\PhpRestrictions;

/**
 * One end of a socket pair between a supervisor and a worker. It carries messages in both directions, and the kernel
 * closes it when the process at the other end dies, even of SIGKILL: so each side notices the death of the other.
 *
 * @internal
 */
final class Channel
{
    /** The descriptor of the channel in a program that a supervisor has started. */
    public const DESCRIPTOR = 4;

    /** The environment variable that names the descriptor. Without it, no supervisor has started this program. */
    public const VARIABLE = 'HEADROOM_CHANNEL';

    private const CHUNK_BYTES = 65_536;

    /** A worker that prints junk without a line feed must not fill the memory of its supervisor. */
    private const MAX_LINE_BYTES = 67_108_864;

    private string $unread = '';

    private string $unsent = '';

    /** @var list<Message> */
    private array $received = [];

    private bool $isClosed = false;

    /** @param resource $stream stays open until close(), so that an event loop can forget it first */
    private function __construct(private $stream) {}

    /** @param resource $stream */
    public static function over($stream): self
    {
        stream_set_blocking($stream, false);
        // An event loop waits on the descriptor and does not see bytes that PHP has read ahead.
        stream_set_read_buffer($stream, 0);

        return new self($stream);
    }

    /** @return ?self the channel to the supervisor of this process; null if no supervisor has started it */
    public static function inherited(): ?self
    {
        $descriptor = PhpRestrictions::call('getenv', self::VARIABLE);

        if (! is_string($descriptor) || ! ctype_digit($descriptor)) {
            return null;
        }

        $stream = @fopen("php://fd/{$descriptor}", 'r+');

        return $stream !== false && str_contains(stream_get_meta_data($stream)['stream_type'], 'socket')
            ? self::over($stream)
            : null;
    }

    /** Never blocks: bytes that the other side does not take now are sent by the next send() or flush(). */
    public function send(string $type, mixed $content = null): void
    {
        $this->unsent .= (new Message($type, $content))->line();
        $this->flush();
    }

    public function flush(): void
    {
        if (! $this->isWaitingToSend()) {
            return;
        }

        $sent = @fwrite($this->stream, $this->unsent);
        // A closed channel is noticed by the next read.
        $this->unsent = $sent === false ? '' : substr($this->unsent, $sent);
    }

    /** Returns when the other side has taken everything, or has ended. */
    public function flushAll(): void
    {
        while ($this->unsent !== '' && ! $this->isClosed()) {
            [$read, $write, $except] = [[$this->stream], [$this->stream], null];
            @stream_select($read, $write, $except, 1);
            $this->flush();
        }
    }

    /** @return list<Message> those that have arrived; the last ones are returned after the other side has ended, too */
    public function receive(): array
    {
        $this->read();
        [$received, $this->received] = [$this->received, []];

        return $received;
    }

    /** @return ?Message the next one; null when the channel is closed, or after that many seconds without a byte */
    public function next(?int $seconds = null): ?Message
    {
        while (! $this->isClosed() && $this->received === []) {
            [$read, $write, $except] = [[$this->stream], null, null];

            // A signal ends the wait with false.
            if (@stream_select($read, $write, $except, $seconds) === 0) {
                break;
            }
        }

        return array_shift($this->received);
    }

    /** Whether the other side has closed the channel, as the kernel does when that process ends. */
    public function isClosed(): bool
    {
        $this->read();

        return $this->isClosed;
    }

    /** @return ?resource to wait on until a message arrives; null when none can arrive any more */
    public function stream()
    {
        return $this->isClosed ? null : $this->stream;
    }

    public function isWaitingToSend(): bool
    {
        return ! $this->isClosed && $this->unsent !== '';
    }

    /** Reads the last messages first. */
    public function close(): void
    {
        if (is_resource($this->stream)) {
            $this->read();
            fclose($this->stream);
        }

        $this->isClosed = true;
    }

    /** Closes the copy of a fork: a byte read here would be missing in the process that the channel belongs to. */
    public function closeCopy(): void
    {
        $this->isClosed = true;
        fclose($this->stream);
    }

    private function read(): void
    {
        while (! $this->isClosed) {
            $read = @fread($this->stream, self::CHUNK_BYTES);

            if ($read === false || $read === '') {
                $this->isClosed = feof($this->stream);

                break;
            }

            $this->unread .= $read;
        }

        $lines = explode("\n", $this->unread);
        $this->unread = substr(array_pop($lines), 0, self::MAX_LINE_BYTES);

        foreach (array_filter(array_map(Message::parse(...), $lines)) as $message) {
            $this->received[] = $message;
        }
    }
}
