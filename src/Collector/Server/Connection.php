<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Headroom\Collector\Problem;
use Headroom\Collector\Request;
use Headroom\Collector\Response;
use Headroom\Collector\Timeouts;
use Headroom\Http\HttpError;
use Headroom\Http\RequestParser;
use Headroom\Http\RequestPhase;
use Headroom\Http\ResponseWriter;

/**
 * A client connection: reads requests, dispatches them and writes the responses in the order of the requests. It reads
 * all bytes before it closes: closing a socket with unread bytes resets the connection, and the client loses a response
 * that is still in transit.
 *
 * @internal
 */
final class Connection
{
    private const READ_BYTES = 65_536;

    private readonly ResponseQueue $responses;

    private bool $isReading = false;

    private bool $isWriting = false;

    /** The connection takes no further request. */
    private bool $isClosing = false;

    /** The last response is sent. Bytes that the client still sends are discarded until it closes. */
    private bool $isLingering = false;

    /** The client has shut down its side of the connection. */
    private bool $hasReadEnd = false;

    private bool $isClosed = false;

    private bool $isPostponed = false;

    private bool $hasReceivedNothing = true;

    /** Monotonic nanoseconds, like all times here. */
    public int $readAt;

    public int $wroteAt;

    /** Start of the request that is being read; null between two requests. */
    private ?int $requestSince;

    /** Null while no body is being read. */
    private ?BodyRate $bodyRate = null;

    /** Bytes of incomplete or unparsed requests. */
    private int $unfinishedBytes = 0;

    /** @param resource $stream */
    public function __construct(
        private $stream,
        private readonly RequestParser $parser,
        private readonly string $peer,
        ResponseWriter $writer,
        private readonly LoopHandle $loop,
        private readonly RequestDispatcher $dispatcher,
        int $now,
    ) {
        $this->readAt = $this->wroteAt = $this->requestSince = $now;
        $this->responses = new ResponseQueue($stream, $writer, $dispatcher);
        $this->watch();
    }

    public function read(): void
    {
        $bytes = @fread($this->stream, self::READ_BYTES);

        if ($bytes === false || $bytes === '') {
            if (feof($this->stream)) {
                $this->readEnd();
            }

            return;
        }

        $this->readAt = $this->loop->now();
        $this->hasReceivedNothing = false;

        if (! $this->isClosing) {
            $this->requestSince ??= $this->readAt;
            $this->parser->feed($bytes);
            $this->serve();
            $this->measureBody(strlen($bytes));
            $this->reportUnfinished($this->parser->pending());
        }
    }

    /** Sends the responses that are complete. */
    public function write(): void
    {
        $keepsOpen = $this->responses->encode(
            $this->loop->shouldCloseAfterResponse() && $this->parser->pending() === 0,
        );

        if ($keepsOpen !== null) {
            $this->isClosing = $this->isClosing || ! $keepsOpen;
            $this->wroteAt = $this->loop->now();
        }

        $this->flush();

        if ($keepsOpen !== null && ! $this->isClosed && ! $this->isClosing && $this->hasMoreToServe()) {
            $this->postpone();
        }
    }

    public function isClosed(): bool
    {
        return $this->isClosed;
    }

    /** No request is being read, and no response is pending. */
    public function isIdle(): bool
    {
        return $this->hasNoResponsePending()
            && ! $this->isClosing
            && $this->parser->phase() === RequestPhase::Idle;
    }

    public function hasReceivedNothing(): bool
    {
        return $this->hasReceivedNothing;
    }

    public function isLingering(): bool
    {
        return $this->isLingering;
    }

    /** @return ?string reason for the metrics if it was closed; null if it stays open */
    public function enforceTimeouts(int $now, Timeouts $timeouts): ?string
    {
        $second = 1_000_000_000;
        $oldest = $this->responses->oldest();

        return match (true) {
            // The bytes have arrived, and this worker has not parsed them yet.
            $this->isPostponed => null,
            $this->isLingering => $now - $this->wroteAt > 2 * $second ? $this->abort('linger_timeout') : null,
            $this->responses->hasBytes() => $now - $this->wroteAt > $timeouts->write * $second
                ? $this->abort('write_timeout')
                : null,
            $oldest !== null => $now - $oldest->startedAt > $timeouts->handler * $second
                ? $this->handlerTimeout($oldest)
                : null,
            default => $this->slowRequest($now, $timeouts),
        };
    }

    /** Sends the pending bytes, then closes; discards what the client still sends. */
    public function close(): void
    {
        $this->isClosing = true;
        $this->flush();
    }

    /** Closes at once. */
    public function abort(string $reason = ''): string
    {
        if (! $this->isClosed) {
            $this->isClosed = true;
            $this->loop->release($this->stream, $this->isReading, $this->isWriting);
            fclose($this->stream);
            $this->responses->clear();
            $this->reportUnfinished(0);
        }

        return $reason;
    }

    /** @return ?int since when the body is being read without a pause */
    public function bodySince(): ?int
    {
        return $this->bodyRate?->measuredSince();
    }

    public function rejectOverloaded(): void
    {
        $this->reject(SlowRequest::overloaded());
    }

    private function measureBody(int $bytes): void
    {
        if ($this->parser->phase() !== RequestPhase::Body) {
            $this->bodyRate = null;

            return;
        }

        $this->bodyRate ??= new BodyRate;
        $this->bodyRate->add($bytes, $this->readAt);
    }

    private function reportUnfinished(int $bytes): void
    {
        $more = $bytes - $this->unfinishedBytes;
        $this->unfinishedBytes = $bytes;
        $this->loop->addUnfinishedBytes($more);
    }

    /** Reads no more until the next tick. */
    private function postpone(): void
    {
        if (! $this->isPostponed) {
            $this->isPostponed = true;
            $this->loop->defer($this->resume(...));
            $this->watch();
        }
    }

    private function resume(): void
    {
        $this->isPostponed = false;

        if (! $this->isClosed) {
            $this->serve();
            $this->reportUnfinished($this->isClosed ? 0 : $this->parser->pending());
        }
    }

    private function serve(): void
    {
        while (! $this->isClosing && ! $this->responses->isFull()) {
            if ($this->loop->isTickBudgetSpent()) {
                $this->postpone();

                break;
            }

            $next = $this->parser->next();

            if ($next === null) {
                break;
            }

            $now = $this->loop->now();
            $this->requestSince = $this->parser->pending() > 0 ? $now : null;

            if ($next instanceof HttpError) {
                $pending = $this->responses->add(new PendingRequest($this, '', false, $now));
                $this->isClosing = true;
                $pending->complete(Problem::ofError($next));
            } else {
                $line = $next->line;
                $keeps = $this->parser->keepsAlive();
                $pending = $this->responses->add(new PendingRequest($this, $line->method, $keeps, $now));
                $this->isClosing = ! $keeps;
                $this->dispatcher->dispatch(Request::of($next, $this->peer), $pending);
            }
        }

        if ($this->responses->oldest() === null && ! $this->isClosing && $this->parser->wantsContinue()) {
            $this->responses->addContinue();
        }

        $this->write();
    }

    private function flush(): void
    {
        if ($this->isClosed) {
            return;
        }

        $sent = $this->responses->send();

        if ($sent === null) {
            $this->abort();

            return;
        }

        if ($sent > 0) {
            $this->wroteAt = $this->loop->now();
        }

        if ($this->isClosing && $this->hasNoResponsePending() && ! $this->isLingering) {
            $this->linger();
        }

        $this->watch();
    }

    private function linger(): void
    {
        if ($this->hasReadEnd) {
            $this->abort();

            return;
        }

        $this->isLingering = true;
        $this->wroteAt = $this->loop->now();
        @stream_socket_shutdown($this->stream, STREAM_SHUT_WR);
    }

    private function readEnd(): void
    {
        $this->hasReadEnd = true;

        if ($this->isLingering || $this->hasNoResponsePending()) {
            $this->abort();

            return;
        }

        // Half-closed: respond to the requests that are pending.
        $this->isClosing = true;
        $this->watch();
    }

    private function watch(): void
    {
        if ($this->isClosed) {
            return;
        }

        $wantsRead = ! $this->hasReadEnd
            && ($this->isClosing || (! $this->isPostponed && ! $this->responses->isFull()));
        $wantsWrite = $this->responses->hasBytes();

        if ($wantsRead !== $this->isReading) {
            $this->isReading = $wantsRead;
            $this->bodyRate?->pause();
            $this->loop->watchRead($this->stream, $wantsRead ? $this->read(...) : null);
        }

        if ($wantsWrite !== $this->isWriting) {
            $this->isWriting = $wantsWrite;
            $this->loop->watchWrite($this->stream, $wantsWrite ? $this->onWritable(...) : null);
        }
    }

    private function onWritable(): void
    {
        $this->flush();

        if (! $this->isClosed && ! $this->isClosing && ! $this->responses->hasBytes() && $this->hasMoreToServe()) {
            $this->serve();
        }
    }

    /** A pipelined request waits, or a client that expects 100 Continue. */
    private function hasMoreToServe(): bool
    {
        return $this->parser->pending() > 0 || $this->parser->phase() === RequestPhase::Body;
    }

    private function hasNoResponsePending(): bool
    {
        return $this->responses->oldest() === null && ! $this->responses->hasBytes();
    }

    private function slowRequest(int $now, Timeouts $timeouts): ?string
    {
        $phase = $this->parser->phase();
        $slow = SlowRequest::seen($phase, $this->bodyRate, $this->requestSince, $this->readAt, $now, $timeouts);

        if ($slow === null) {
            return null;
        }

        $slow->response === null ? $this->close() : $this->reject($slow->response);

        return $slow->reason;
    }

    private function handlerTimeout(PendingRequest $oldest): string
    {
        $oldest->send(Problem::response(504, 'handler_timeout', 'The handler did not respond in time.'));

        return 'handler_timeout';
    }

    /** Responds to the request that is being read, and closes. */
    private function reject(Response $response): void
    {
        $this->isClosing = true;
        $this->bodyRate = null;
        $this->parser->abandon();
        $this->reportUnfinished(0);
        $this->responses->add(new PendingRequest($this, '', false, $this->readAt))->send($response);
    }
}
