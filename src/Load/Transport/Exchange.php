<?php

declare(strict_types=1);

namespace Headroom\Load\Transport;

use Headroom\Http\ResponseReceiver;
use Headroom\Load\Failure;
use Headroom\Load\Response;
use Headroom\Load\Target;

/**
 * A request and its result. A virtual user has one and reuses it. Times are those of Clock::monotonicNanos(), and 0
 * for a moment that did not come.
 *
 * @internal
 */
final class Exchange implements ResponseReceiver
{
    public Target $target;

    /** The bytes that are sent. */
    public string $text = '';

    public string $method = 'GET';

    /** Whether the request itself closes the connection (Connection: close). */
    public bool $isLast = false;

    public ?BodyListener $listener = null;

    /** 0 when no status line arrived. */
    public int $status = 0;

    /** The head of the response, without interim responses. */
    public string $head = '';

    /** Of the body, without transfer coding. */
    public int $bytes = 0;

    public int $begun = 0;

    /** When the connection that was opened for this exchange was established. */
    public int $connected = 0;

    public int $firstByte = 0;

    public int $ended = 0;

    /** Connections opened for it. */
    public int $connections = 0;

    /** Whether the request was sent a second time, because the server had closed the kept connection. */
    public bool $isResent = false;

    /** @var list<string> messages about the addresses of its host that were tried before the last */
    public array $refusals = [];

    public ?Failure $failure = null;

    public string $message = '';

    /** Set when TLS failed. */
    public ?TlsFailure $tls = null;

    public function prepare(EncodedRequest $message, ?BodyListener $listener): void
    {
        $this->target = $message->target;
        $this->text = $message->text;
        $this->method = $message->method;
        $this->isLast = $message->isLast;
        $this->listener = $listener;
        $this->status = 0;
        $this->head = '';
        $this->bytes = 0;
        $this->begun = 0;
        $this->connected = 0;
        $this->firstByte = 0;
        $this->ended = 0;
        $this->connections = 0;
        $this->isResent = false;
        $this->refusals = [];
        $this->failure = null;
        $this->message = '';
        $this->tls = null;
    }

    /** Whether this exchange only opens a connection. */
    public function onlyConnects(): bool
    {
        return $this->text === '';
    }

    public function receiveHead(int $status, string $head): void
    {
        $this->status = $status;
        $this->head = $head;
        $this->listener?->expect($head);
    }

    public function receiveBody(string $data, int $at, int $length): void
    {
        $this->bytes += $length;

        if ($this->listener !== null && $length > 0) {
            $this->listener->receive(substr($data, $at, $length));
        }
    }

    /** @param ?Failure $failure as the user of the exchange judges it: a complete response may have the wrong status */
    public function response(
        ?Failure $failure,
        string $body,
        int $waited,
        int $inFlight,
        ?string $step = null,
        ?bool $isGood = null,
    ): Response {
        return new Response(
            $this->status,
            $failure,
            $this->micros(),
            $this->bytes,
            $body,
            $this->isResent,
            $waited,
            $this->firstByteMicros(),
            $this->connectMicros(),
            $inFlight,
            $step,
            $isGood,
        );
    }

    /** From start to end, in microseconds. */
    public function micros(): int
    {
        return intdiv($this->ended - $this->begun, 1_000);
    }

    /** @return int microseconds from its start to the first byte of the response; 0 when none came */
    private function firstByteMicros(): int
    {
        return $this->firstByte === 0 ? 0 : intdiv($this->firstByte - $this->begun, 1_000);
    }

    /** @return int microseconds to connect; 0 on a kept connection */
    private function connectMicros(): int
    {
        return $this->connected === 0 ? 0 : intdiv($this->connected - $this->begun, 1_000);
    }
}
