<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Headroom\Collector\ListenAddress;
use Headroom\Support\FileOperation;
use Socket;

/**
 * A listening socket. The supervisor binds one and every worker inherits it. With one socket per worker (SO_REUSEPORT),
 * a worker that ends would reset the connections in its accept queue.
 *
 * @internal
 */
final readonly class Listener
{
    private const BACKLOG = 1024;

    /** SOL_TCP and TCP_NODELAY, which only ext-sockets defines. */
    private const NO_DELAY = [6, 1];

    /** @param resource $stream */
    private function __construct(public mixed $stream, public string $name) {}

    /** @throws UnableToServe */
    public static function bind(ListenAddress $address): self
    {
        if ($address->path !== null) {
            self::removeStale($address->path);
        }

        $reason = '';
        // Accepted connections inherit TCP_NODELAY.
        $context = stream_context_create(['socket' => ['backlog' => self::BACKLOG, 'tcp_nodelay' => true]]);
        $stream = FileOperation::run(
            static fn () => stream_socket_server(
                $address->uri,
                $number,
                $message,
                STREAM_SERVER_BIND | STREAM_SERVER_LISTEN,
                $context,
            ),
            $reason,
        );

        if ($stream === false) {
            throw UnableToServe::notBound($address->uri, trim((string) preg_replace('/.*\((.+)\)\z/', '$1', $reason)));
        }

        return self::over($stream);
    }

    /**
     * A socket that the supervisor passed to this process.
     *
     * @throws UnableToServe
     */
    public static function inherited(int $descriptor): self
    {
        $stream = @fopen("php://fd/{$descriptor}", 'r+');

        if (
            $stream === false
            || ! in_array(
                stream_get_meta_data($stream)['stream_type'],
                ['tcp_socket', 'unix_socket', 'generic_socket'],
                true,
            )
        ) {
            throw UnableToServe::noDescriptor($descriptor);
        }

        if (function_exists('socket_import_stream') && ($socket = @socket_import_stream($stream)) instanceof Socket) {
            @socket_set_option($socket, self::NO_DELAY[0], self::NO_DELAY[1], 1);
        }

        return self::over($stream);
    }

    /** @param resource $stream */
    private static function over($stream): self
    {
        stream_set_blocking($stream, false);
        $name = stream_socket_get_name($stream, false);

        return new self(
            $stream,
            $name === false || $name === '' ? 'a socket' : (str_starts_with($name, '/') ? "unix:{$name}" : $name),
        );
    }

    /** @return ?resource null if no connection waits, or another worker accepted it */
    public function accept(string &$peer)
    {
        $stream = @stream_socket_accept($this->stream, 0, $name);
        $peer = is_string($name) ? $name : '';

        return $stream === false ? null : $stream;
    }

    /**
     * Shuts the socket down in all processes that have it. The address is free at once, although descriptors are open;
     * the kernel resets the connections in the accept queue.
     */
    public function shut(): void
    {
        @stream_socket_shutdown($this->stream, STREAM_SHUT_RDWR);
    }

    /** Removes the socket file of a process that was killed. */
    private static function removeStale(string $path): void
    {
        if (
            file_exists($path)
            && filetype($path) === 'socket'
            && ($connection = @stream_socket_client("unix://{$path}", $number, $message, 1)) === false
        ) {
            @unlink($path);
        } elseif (isset($connection) && $connection !== false) {
            fclose($connection);
        }
    }
}
