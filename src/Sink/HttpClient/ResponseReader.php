<?php

declare(strict_types=1);

namespace Headroom\Sink\HttpClient;

use Closure;
use Psr\Http\Message\ResponseInterface;

/**
 * An answer while it comes in, of which no more is kept than is wanted.
 *
 * @internal
 */
final class ResponseReader
{
    private ?ResponseInterface $begun = null;

    private string $kept = '';

    private bool $isCut = false;

    private bool $isSent = false;

    /** @param Closure(int): int $most bytes of an answer with that status */
    public function __construct(private readonly Closure $most) {}

    public function begin(ResponseInterface $response): void
    {
        // Interim answers (1xx) come by as well.
        $this->begun = $response->getStatusCode() >= 200 ? $response : null;
    }

    /** @return int how many bytes were taken; fewer than were offered end the transfer */
    public function write(string $bytes): int
    {
        $room = $this->begun === null ? 0 : ($this->most)($this->begun->getStatusCode()) - strlen($this->kept);
        $this->kept .= substr($bytes, 0, max(0, $room));
        $this->isCut = $this->isCut || strlen($bytes) > $room;

        return $this->isCut ? 0 : strlen($bytes);
    }

    /** Curl tells it in passing: bytes of the answer and of the request, as they should be and as they are. */
    public function progress(int|float $whole, int|float $received, int|float $toSend, int|float $sent): void
    {
        $this->isSent = $toSend > 0 && $sent >= $toSend;
    }

    public function isSent(): bool
    {
        return $this->isSent;
    }

    /** @throws UnableToSend when it had not ended, and not because enough of it was there */
    public function answer(Endpoint $from, ?string $failure): HttpResponse
    {
        $begun = $this->begun ?? throw UnableToSend::noAnswer($from, $failure ?? 'none came');

        // Over a request that is too large many a server hangs up in the middle of saying so, and would every time.
        if ($failure !== null && ! $this->isCut && $begun->getStatusCode() !== 413) {
            throw UnableToSend::answerNotWhole($from, $begun->getStatusCode(), $failure);
        }

        return new HttpResponse($begun->getStatusCode(), $this->kept, $this->isCut, $begun->getHeader('Retry-After')[0] ?? null, $begun->getHeader('Date')[0] ?? null);
    }
}
