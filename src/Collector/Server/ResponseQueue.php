<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Headroom\Collector\Problem;
use Headroom\Collector\Response;
use Headroom\Http\InvalidResponse;
use Headroom\Http\ResponseWriter;

/**
 * The responses that a client has not received yet, in the order of its requests.
 *
 * @internal
 */
final class ResponseQueue
{
    /** The server stops reading from a client with this many pipelined requests, until some are answered. */
    private const MAX_PENDING = 64;

    /** It also stops reading from a client that leaves this many bytes of its responses unread. */
    private const MAX_BYTES = 65_536;

    /** @var list<PendingRequest> in the order of their requests */
    private array $pending = [];

    private string $bytes = '';

    /** @param resource $stream */
    public function __construct(
        private $stream,
        private readonly ResponseWriter $writer,
        private readonly RequestDispatcher $dispatcher,
    ) {}

    public function add(PendingRequest $request): PendingRequest
    {
        return $this->pending[] = $request;
    }

    public function addContinue(): void
    {
        $this->bytes .= ResponseWriter::CONTINUE;
    }

    public function isFull(): bool
    {
        return count($this->pending) >= self::MAX_PENDING || strlen($this->bytes) >= self::MAX_BYTES;
    }

    /** The request that has waited longest for its response. */
    public function oldest(): ?PendingRequest
    {
        return $this->pending[0] ?? null;
    }

    public function hasBytes(): bool
    {
        return $this->bytes !== '';
    }

    public function clear(): void
    {
        $this->pending = [];
        $this->bytes = '';
    }

    /**
     * Encodes the responses up to the first request without one.
     *
     * @param bool $isLast whether the connection closes after these responses
     * @return ?bool null if there was none; otherwise whether the connection stays open
     */
    public function encode(bool $isLast): ?bool
    {
        $count = count($this->pending);
        $done = 0;
        $keepsOpen = true;

        while ($done < $count && ($response = $this->pending[$done]->response) !== null) {
            $request = $this->pending[$done++];
            $keepsAlive = $request->keepsAlive && ($done < $count || ! $isLast);
            $this->bytes .= $this->encoded($response, $keepsAlive, $request->method);
            $this->dispatcher->countResponse($response->status);
            $keepsOpen = $keepsOpen && $keepsAlive;
        }

        $this->pending = $done === 0 ? $this->pending : array_slice($this->pending, $done);

        return $done === 0 ? null : $keepsOpen;
    }

    /** @return ?int number of bytes that the kernel accepted; null if the client has closed */
    public function send(): ?int
    {
        $sent = $this->bytes === '' ? 0 : @fwrite($this->stream, $this->bytes);

        if ($sent === false) {
            return null;
        }

        $this->bytes = $sent === strlen($this->bytes) ? '' : substr($this->bytes, $sent);

        return $sent;
    }

    private function encoded(Response $response, bool $keepsAlive, string $method): string
    {
        try {
            return $this->writer->write(
                $response->status,
                $response->body,
                $response->headers,
                $keepsAlive,
                $method,
            );
        } catch (InvalidResponse $e) {
            $this->dispatcher->logFailure($e);
            $problem = Problem::response(
                500,
                'internal_error',
                'The response is invalid; the log of the collector has the error.',
            );

            return $this->writer->write($problem->status, $problem->body, $problem->headers, $keepsAlive, $method);
        }
    }
}
