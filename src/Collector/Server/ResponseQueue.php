<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Headroom\Collector\Problem;
use Headroom\Collector\Response;
use Headroom\Http\InvalidResponse;
use Headroom\Http\ResponseWriter;

/**
 * The answers that a client is still to get, in the order of its requests: first as exchanges, then as bytes.
 *
 * @internal
 */
final class ResponseQueue
{
    /** The server reads no further from a client that sends more requests ahead than this, until it has answers. */
    private const MOST_EXCHANGES = 64;

    /** Nor from a client that leaves this many bytes of its answers unread. */
    private const MOST_BYTES = 65_536;

    /** @var list<PendingRequest> in the order of their requests */
    private array $exchanges = [];

    private string $bytes = '';

    /** @param resource $stream */
    public function __construct(
        private $stream,
        private readonly ResponseWriter $writer,
        private readonly RequestDispatcher $service,
    ) {}

    public function add(PendingRequest $exchange): PendingRequest
    {
        return $this->exchanges[] = $exchange;
    }

    public function addContinue(): void
    {
        $this->bytes .= ResponseWriter::CONTINUE;
    }

    public function isFull(): bool
    {
        return count($this->exchanges) >= self::MOST_EXCHANGES || strlen($this->bytes) >= self::MOST_BYTES;
    }

    /** The request that waits longest for its answer. */
    public function oldest(): ?PendingRequest
    {
        return $this->exchanges[0] ?? null;
    }

    public function hasBytes(): bool
    {
        return $this->bytes !== '';
    }

    public function clear(): void
    {
        $this->exchanges = [];
        $this->bytes = '';
    }

    /**
     * Turns the answers that are there into bytes, up to the first request that has none yet.
     *
     * @param bool $isLast whether the last answer for now is the last one of the connection
     * @return ?bool null if there was none; otherwise whether the connection goes on
     */
    public function encode(bool $isLast): ?bool
    {
        $count = count($this->exchanges);
        $done = 0;
        $goesOn = true;

        while ($done < $count && ($answer = $this->exchanges[$done]->answer) !== null) {
            $exchange = $this->exchanges[$done++];
            $keeps = $exchange->keepsAlive && ($done < $count || ! $isLast);
            $this->bytes .= $this->written($answer, $keeps, $exchange->method);
            $this->service->answered($answer->status);
            $goesOn = $goesOn && $keeps;
        }

        $this->exchanges = $done === 0 ? $this->exchanges : array_slice($this->exchanges, $done);

        return $done === 0 ? null : $goesOn;
    }

    /** @return ?int bytes that the kernel took; null if the client is gone */
    public function send(): ?int
    {
        $sent = $this->bytes === '' ? 0 : @fwrite($this->stream, $this->bytes);

        if ($sent === false) {
            return null;
        }

        $this->bytes = $sent === strlen($this->bytes) ? '' : substr($this->bytes, $sent);

        return $sent;
    }

    private function written(Response $answer, bool $keeps, string $method): string
    {
        try {
            return $this->writer->write($answer->status, $answer->body, $answer->headers, $keeps, $method);
        } catch (InvalidResponse $e) {
            $this->service->failed($e);
            $answer = Problem::response(500, 'internal_error', 'The answer could not be written.');

            return $this->writer->write($answer->status, $answer->body, $answer->headers, $keeps, $method);
        }
    }
}
