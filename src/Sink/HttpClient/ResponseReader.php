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
    private ?ResponseInterface $begun = null;

    private string $kept = '';

    private bool $isCut = false;

    private bool $isSent = false;

    /** @param Closure(int): int $most how many bytes to keep of a response with the given status */
    public function __construct(private readonly Closure $most) {}

    public function begin(ResponseInterface $response): void
    {
        // Interim responses (1xx) arrive here as well.
        $this->begun = $response->getStatusCode() >= 200 ? $response : null;
    }

    /** @return int number of bytes taken; curl ends the transfer if it is smaller than the number offered */
    public function write(string $bytes): int
    {
        $room = $this->begun === null ? 0 : ($this->most)($this->begun->getStatusCode()) - strlen($this->kept);
        $this->kept .= substr($bytes, 0, max(0, $room));
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
        $begun = $this->begun ?? throw UnableToSend::noAnswer($from, $failure ?? 'none came');

        // Many servers close the connection while they send a 413, and would do so at every retry.
        if ($failure !== null && ! $this->isCut && $begun->getStatusCode() !== 413) {
            throw UnableToSend::answerNotWhole($from, $begun->getStatusCode(), $failure);
        }

        return new HttpResponse($begun->getStatusCode(), $this->kept, $this->isCut, $begun->getHeader('Retry-After')[0] ?? null, $begun->getHeader('Date')[0] ?? null);
    }
}
