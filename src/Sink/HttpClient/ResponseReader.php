<?php

declare(strict_types=1);

namespace Headroom\Sink\HttpClient;

use Closure;
use Psr\Http\Message\ResponseInterface;

/**
 * Receives a response and keeps no more of its body than the caller wants.
 *
 * @internal
 */
final class ResponseReader
{
    private ?ResponseInterface $response = null;

    private string $body = '';

    private bool $isCut = false;

    private bool $isSent = false;

    /** @param Closure(int): int $maxBytes how many bytes to keep of a response with the given status */
    public function __construct(private readonly Closure $maxBytes) {}

    public function onHeaders(ResponseInterface $response): void
    {
        // Interim responses (1xx) arrive here as well.
        $this->response = $response->getStatusCode() >= 200 ? $response : null;
    }

    /** @return int number of bytes taken; curl ends the transfer if it is smaller than the number offered */
    public function write(string $bytes): int
    {
        $room = $this->response === null
            ? 0
            : ($this->maxBytes)($this->response->getStatusCode()) - strlen($this->body);
        $this->body .= substr($bytes, 0, max(0, $room));
        $this->isCut = $this->isCut || strlen($bytes) > $room;

        return $this->isCut ? 0 : strlen($bytes);
    }

    /**
     * Curl's progress callback: expected and received bytes of the response, then expected and sent bytes of the
     * request.
     */
    public function progress(int|float $whole, int|float $received, int|float $toSend, int|float $sent): void
    {
        $this->isSent = $toSend > 0 && $sent >= $toSend;
    }

    public function isSent(): bool
    {
        return $this->isSent;
    }

    /** @throws UnableToSend the response ended early, and not because enough of it had been read */
    public function answer(Endpoint $from, ?string $failure): HttpResponse
    {
        $response = $this->response ?? throw UnableToSend::noAnswer($from, $failure ?? 'none came');

        // Many servers close the connection while they send a 413, and would do so at every retry.
        if ($failure !== null && ! $this->isCut && $response->getStatusCode() !== 413) {
            throw UnableToSend::answerNotWhole($from, $response->getStatusCode(), $failure);
        }

        return new HttpResponse(
            $response->getStatusCode(),
            $this->body,
            $this->isCut,
            $response->getHeader('Retry-After')[0] ?? null,
            $response->getHeader('Date')[0] ?? null,
        );
    }
}
