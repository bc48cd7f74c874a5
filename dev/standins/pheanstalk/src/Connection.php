<?php

declare(strict_types=1);

namespace Pheanstalk;

use Pheanstalk\Contract\SocketFactoryInterface;
use Pheanstalk\Contract\SocketInterface;
use Pheanstalk\Exception\ConnectionException;
use Pheanstalk\Exception\MalformedResponseException;
use Pheanstalk\Exception\ServerBadFormatException;
use Pheanstalk\Exception\ServerInternalErrorException;
use Pheanstalk\Exception\ServerOutOfMemoryException;
use Pheanstalk\Exception\ServerUnknownCommandException;

/**
 * A persistent connection: opened with the first command, and again with the first command after it broke. When a
 * connection ends, the server forgets which tubes it used and watched.
 */
final class Connection
{
    // The last argument of these responses is the length of the data.
    private const WITH_DATA = ['RESERVED', 'FOUND', 'OK'];

    private ?SocketInterface $socket = null;

    public function __construct(private readonly SocketFactoryInterface $factory) {}

    public function connect(): void
    {
        $this->socket();
    }

    public function disconnect(): void
    {
        $this->socket?->disconnect();
        $this->socket = null;
    }

    /** @param ?string $body of a job, sent in the same write as its command */
    public function ask(string $command, ?string $body = null): Reply
    {
        $socket = $this->socket();

        try {
            $socket->write($body === null ? "{$command}\r\n" : "{$command}\r\n{$body}\r\n");
            $reply = $this->reply($socket);
        } catch (ConnectionException|MalformedResponseException $e) {
            // The next bytes of the connection may be the rest of this response.
            $this->disconnect();

            throw $e;
        }

        return match ($reply->word) {
            'OUT_OF_MEMORY' => throw new ServerOutOfMemoryException(
                'The server does not have enough memory. Try again later.',
            ),
            'INTERNAL_ERROR' => throw new ServerInternalErrorException('The server reports an internal error.'),
            'BAD_FORMAT' => throw new ServerBadFormatException($command),
            'UNKNOWN_COMMAND' => throw new ServerUnknownCommandException("The server does not know: {$command}"),
            default => $reply,
        };
    }

    private function reply(SocketInterface $socket): Reply
    {
        $parts = explode(' ', $socket->getLine());
        $word = array_shift($parts);

        if (! in_array($word, self::WITH_DATA, true)) {
            return new Reply($word, $parts[0] ?? null);
        }

        $length = (string) array_pop($parts);

        if (! ctype_digit($length)) {
            throw new MalformedResponseException("{$word} came without the length of its data.");
        }

        $data = $socket->read((int) $length + 2);

        return str_ends_with($data, "\r\n")
            ? new Reply($word, $parts[0] ?? null, substr($data, 0, -2))
            : throw new MalformedResponseException("{$word} came with more than the {$length} bytes it announced.");
    }

    private function socket(): SocketInterface
    {
        return $this->socket ??= $this->factory->create();
    }
}
