<?php

declare(strict_types=1);

namespace Headroom\Dev\Delay;

/**
 * A client connection, and the connection to the target once it is made.
 *
 * @internal
 */
final class Connection
{
    public readonly Pipe $forth;

    public readonly Pipe $back;

    public bool $isClosed = false;

    /** @var resource|null the connection to the target while it is being made */
    public mixed $calling = null;

    /** @var resource|null */
    private mixed $target = null;

    /** @param resource $client */
    public function __construct(public readonly int $id, private readonly mixed $client)
    {
        $this->forth = new Pipe;
        $this->back = new Pipe;
        self::prepare($client);
        $this->forth->from($client);
        $this->back->to($client);
    }

    /** @return bool false if the connection attempt failed at once */
    public function call(string $address): bool
    {
        $context = stream_context_create(['socket' => ['tcp_nodelay' => true]]);
        $stream = @stream_socket_client(
            "tcp://{$address}",
            timeout: 5.0,
            flags: STREAM_CLIENT_CONNECT | STREAM_CLIENT_ASYNC_CONNECT,
            context: $context,
        );

        if ($stream === false) {
            return false;
        }

        self::prepare($stream);
        $this->target = $this->calling = $stream;

        return true;
    }

    /** @return bool false if the target refused or closed the connection */
    public function answered(): bool
    {
        $stream = $this->calling;
        $this->calling = null;

        if ($stream === null || stream_socket_get_name($stream, true) === false) {
            return false;
        }

        $this->forth->to($stream);
        $this->back->from($stream);

        return $this->forth->write();
    }

    public function isFinished(): bool
    {
        return $this->forth->isFinished() && $this->back->isFinished();
    }

    public function close(): void
    {
        $this->isClosed = true;

        foreach ([$this->client, $this->target] as $stream) {
            if (is_resource($stream)) {
                fclose($stream);
            }
        }
    }

    /** @param resource $stream */
    private static function prepare(mixed $stream): void
    {
        stream_set_blocking($stream, false);
        // PHP's own buffer would hold bytes that select() does not know of.
        stream_set_read_buffer($stream, 0);
        stream_set_write_buffer($stream, 0);
    }
}
