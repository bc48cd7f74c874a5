<?php

declare(strict_types=1);

namespace Headroom\Load\Transport;

use Headroom\Load\Failure;
use Headroom\Load\Response;
use Headroom\Load\Target;

/**
 * A request, and what came of it. Whoever sends many uses one again and again. Times are those of
 * Clock::monotonicNanos(), and 0 where there was no such moment.
 *
 * @internal
 */
final class Exchange
{
    public Target $target;

    /** The bytes that are sent. */
    public string $text = '';

    public bool $isHead = false;

    /** Whether the request itself says that its connection is not to be kept. */
    public bool $isLast = false;

    public ?BodyReceiver $receiver = null;

    /** 0 when no status line arrived. */
    public int $status = 0;

    /** The head of the answer, without those of interim answers before it. */
    public string $head = '';

    /** Of the body, as it was before it was put into chunks. */
    public int $bytes = 0;

    public int $begun = 0;

    /** When a connection made for it was there. */
    public int $connected = 0;

    public int $firstByte = 0;

    public int $ended = 0;

    /** How many were opened for it. */
    public int $connections = 0;

    /** Whether it went out a second time, because the connection it was sent on had been closed meanwhile. */
    public bool $isResent = false;

    /** @var list<string> of the addresses of its host that were tried before the last */
    public array $refusals = [];

    public ?Failure $failure = null;

    public string $message = '';

    /** Set when TLS is what failed. */
    public ?TlsFailure $tls = null;

    public function prepare(EncodedRequest $message, ?BodyReceiver $receiver): void
    {
        $this->target = $message->target;
        $this->text = $message->text;
        $this->isHead = $message->isHead;
        $this->isLast = $message->isLast;
        $this->receiver = $receiver;
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

    /** Whether a connection is all that it wants. */
    public function onlyConnects(): bool
    {
        return $this->text === '';
    }

    /** A piece of the body has come. */
    public function take(string $data, int $at, int $length): void
    {
        $this->bytes += $length;

        if ($this->receiver !== null && $length > 0) {
            $this->receiver->receive(substr($data, $at, $length));
        }
    }

    /**
     * What observers are told.
     *
     * @param ?Failure $failure what came of it for those who sent it: an answer that came whole
     *     may not be what they want
     */
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

    /** From its beginning to its end, in microseconds. */
    public function micros(): int
    {
        return intdiv($this->ended - $this->begun, 1_000);
    }

    /** @return int microseconds from its beginning to the first byte of its answer; 0 when none came */
    private function firstByteMicros(): int
    {
        return $this->firstByte === 0 ? 0 : intdiv($this->firstByte - $this->begun, 1_000);
    }

    /** @return int microseconds that connecting took; 0 on a connection that was kept */
    private function connectMicros(): int
    {
        return $this->connected === 0 ? 0 : intdiv($this->connected - $this->begun, 1_000);
    }
}
