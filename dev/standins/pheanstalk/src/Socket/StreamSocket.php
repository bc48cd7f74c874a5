<?php

declare(strict_types=1);

namespace Pheanstalk\Socket;

use Pheanstalk\Contract\SocketInterface;
use Pheanstalk\Exception\ConnectionException;
use Pheanstalk\Values\Timeout;

final class StreamSocket implements SocketInterface
{
    // The first line of a response is shorter: a word, a number of 20 digits and a length.
    private const LINE = 1024;

    /** @var ?resource */
    private mixed $stream;

    public function __construct(string $host, int $port, Timeout $connectTimeout, Timeout $receiveTimeout)
    {
        $address = str_starts_with($host, 'unix://') ? $host : "tcp://{$host}:{$port}";
        // Send the last segment of a job at once, without waiting for the server to acknowledge the earlier ones.
        $context = stream_context_create(['socket' => ['tcp_nodelay' => true]]);
        $stream = @stream_socket_client(
            $address,
            $errno,
            $error,
            $connectTimeout->toFloat(),
            STREAM_CLIENT_CONNECT,
            $context,
        );

        if ($stream === false) {
            throw new ConnectionException((int) $errno, "{$address} cannot be reached: {$error}");
        }

        stream_set_timeout($stream, $receiveTimeout->seconds, $receiveTimeout->microSeconds);
        $this->stream = $stream;
    }

    public function write(string $data): void
    {
        $stream = $this->stream();

        for ($sent = 0, $length = strlen($data); $sent < $length; $sent += $written) {
            $written = @fwrite($stream, $sent === 0 ? $data : substr($data, $sent));

            // A blocking stream writes nothing only if the connection broke or the timeout passed.
            if ($written === false || $written === 0) {
                throw $this->broken("{$sent} of {$length} bytes were sent");
            }
        }
    }

    public function read(int $length): string
    {
        $stream = $this->stream();
        $data = '';

        while (($missing = $length - strlen($data)) > 0) {
            $more = @fread($stream, $missing);

            if ($more === false || $more === '') {
                throw $this->broken(strlen($data)." of {$length} bytes arrived");
            }

            $data .= $more;
        }

        return $data;
    }

    public function getLine(): string
    {
        $line = @fgets($this->stream(), self::LINE);

        return $line !== false && str_ends_with($line, "\n")
            ? rtrim($line, "\r\n")
            : throw $this->broken('no whole line arrived');
    }

    public function disconnect(): void
    {
        if ($this->stream !== null) {
            fclose($this->stream);
            $this->stream = null;
        }
    }

    /** @return resource */
    private function stream(): mixed
    {
        return $this->stream ?? throw new ConnectionException(0, 'The connection was closed.');
    }

    private function broken(string $how): ConnectionException
    {
        return stream_get_meta_data($this->stream())['timed_out']
            ? new ConnectionException(0, "The server did not answer in time: {$how}.")
            : new ConnectionException(0, "The server closed the connection: {$how}.");
    }
}
