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
 * A client's connection: bytes in, requests to the service, answers out in the order of their requests. It never closes
 * on bytes that it has not read, which would reset the connection and take an answer along that is still on its way.
 *
 * @internal
 */
final class Connection
{
    private const READ_BYTES = 65_536;

    private readonly ResponseQueue $answers;

    private bool $isReading = false;

    private bool $isWriting = false;

    /** No further request is taken. */
    private bool $isClosing = false;

    /** The last answer is out; what the client still sends is read and thrown away until it hangs up. */
    private bool $isLingering = false;

    /** The client has said that it sends nothing more. */
    private bool $hasEnded = false;

    private bool $isGone = false;

    private bool $isToBeResumed = false;

    private bool $isMute = true;

    /** Nanoseconds of the clock that never runs backwards, as all others here. */
    public int $readAt;

    public int $wroteAt;

    /** When the request that is being read began. */
    private ?int $headSince;

    private readonly MinimumBodyRate $pace;

    /** Bytes of requests that are not whole, or not looked at yet. */
    private int $held = 0;

    /** @param resource $stream */
    public function __construct(
        private $stream,
        private readonly RequestParser $parser,
        private readonly string $peer,
        ResponseWriter $writer,
        private readonly ConnectionManager $clients,
        private readonly RequestDispatcher $service,
        int $now,
    ) {
        $this->readAt = $this->wroteAt = $this->headSince = $now;
        $this->pace = new MinimumBodyRate;
        $this->answers = new ResponseQueue($stream, $writer, $service);
        $this->watch();
    }

    public function read(): void
    {
        $bytes = @fread($this->stream, self::READ_BYTES);

        if ($bytes === false || $bytes === '') {
            if (feof($this->stream)) {
                $this->ended();
            }

            return;
        }

        $this->readAt = $this->clients->now();
        $this->isMute = false;

        if (! $this->isClosing) {
            $this->headSince ??= $this->readAt;
            $this->parser->feed($bytes);
            $this->serve();
            $this->parser->phase() === RequestPhase::Body
                ? $this->pace->came(strlen($bytes), $this->readAt)
                : $this->pace->end();
            $this->hold($this->parser->pending());
        }
    }

    /** Sends what is answered already. */
    public function write(): void
    {
        // Where clients are to leave, the last answer for now is the last one.
        $goesOn = $this->answers->encode($this->clients->areToLeave() && $this->parser->pending() === 0);

        if ($goesOn !== null) {
            $this->isClosing = $this->isClosing || ! $goesOn;
            $this->wroteAt = $this->clients->now();
        }

        $this->flush();

        if ($goesOn !== null && ! $this->isGone && ! $this->isClosing && $this->isBehind()) {
            $this->postpone();
        }
    }

    public function isGone(): bool
    {
        return $this->isGone;
    }

    /** Nothing is asked and nothing is owed. */
    public function isIdle(): bool
    {
        return $this->owesNothing()
            && ! $this->isClosing
            && $this->parser->phase() === RequestPhase::Idle;
    }

    /** Nothing has ever come from it. */
    public function isMute(): bool
    {
        return $this->isMute;
    }

    public function isLingering(): bool
    {
        return $this->isLingering;
    }

    /** @return ?string why it was given up; null when it may go on */
    public function overdue(int $now, Timeouts $timeouts): ?string
    {
        $second = 1_000_000_000;
        $oldest = $this->answers->oldest();

        return match (true) {
            // It has come, and the worker has not got round to it.
            $this->isToBeResumed => null,
            $this->isLingering => $now - $this->wroteAt > 2 * $second ? $this->drop('lingered') : null,
            $this->answers->hasBytes() => $now - $this->wroteAt > $timeouts->write * $second
                ? $this->drop('slow_reader')
                : null,
            $oldest !== null => $now - $oldest->startedAt > $timeouts->handler * $second
                ? $this->tooLate($oldest)
                : null,
            default => $this->whenSlow($now, $timeouts),
        };
    }

    /** Politely: the client sees the end, and what it still sends is read. */
    public function hangUp(string $why): string
    {
        $this->isClosing = true;
        $this->flush();

        return $why;
    }

    public function drop(string $why): string
    {
        if (! $this->isGone) {
            $this->isGone = true;
            $this->clients->forget($this->stream, $this->isReading, $this->isWriting);
            fclose($this->stream);
            $this->answers->clear();
            $this->hold(0);
        }

        return $why;
    }

    /** @return ?int since when a body is being read */
    public function bodySince(): ?int
    {
        return $this->pace->since();
    }

    public function giveWay(): void
    {
        $this->refuse(SlowRequest::crowded());
    }

    private function hold(int $bytes): void
    {
        $more = $bytes - $this->held;
        $this->held = $bytes;
        $this->clients->hold($more);
    }

    /** Until it is resumed nothing more is read. */
    private function postpone(): void
    {
        if (! $this->isToBeResumed) {
            $this->isToBeResumed = true;
            $this->clients->later($this->resume(...));
            $this->watch();
        }
    }

    private function resume(): void
    {
        $this->isToBeResumed = false;

        if (! $this->isGone) {
            $this->serve();
            $this->hold($this->isGone ? 0 : $this->parser->pending());
        }
    }

    private function serve(): void
    {
        while (! $this->isClosing && ! $this->answers->isFull()) {
            if ($this->clients->isRoundOver()) {
                $this->postpone();

                break;
            }

            $next = $this->parser->next();

            if ($next === null) {
                break;
            }

            $now = $this->clients->now();
            $this->headSince = $this->parser->pending() > 0 ? $now : null;

            if ($next instanceof HttpError) {
                $exchange = $this->answers->add(new PendingRequest($this, '', false, $now));
                $this->isClosing = true;
                $exchange->settle(Problem::ofError($next));
            } else {
                $keeps = $this->parser->keepsAlive();
                $exchange = $this->answers->add(new PendingRequest($this, $next->method, $keeps, $now));
                $this->isClosing = ! $keeps;
                $request = new Request($next->method, $next->path, $next->query, $next->headers, $next->body, $this->peer);
                $this->service->handle($request, $exchange);
            }
        }

        if ($this->answers->oldest() === null && ! $this->isClosing && $this->parser->wantsContinue()) {
            $this->answers->addContinue();
        }

        $this->write();
    }

    private function flush(): void
    {
        if ($this->isGone) {
            return;
        }

        $sent = $this->answers->send();

        if ($sent === null) {
            $this->drop('gone');

            return;
        }

        if ($sent > 0) {
            $this->wroteAt = $this->clients->now();
        }

        if ($this->isClosing && $this->owesNothing() && ! $this->isLingering) {
            $this->finish();
        }

        $this->watch();
    }

    private function finish(): void
    {
        if ($this->hasEnded) {
            $this->drop('done');

            return;
        }

        $this->isLingering = true;
        $this->wroteAt = $this->clients->now();
        @stream_socket_shutdown($this->stream, STREAM_SHUT_WR);
    }

    private function ended(): void
    {
        $this->hasEnded = true;

        if ($this->isLingering || $this->owesNothing()) {
            $this->drop('done');

            return;
        }

        // Half-open: what it has asked is answered.
        $this->isClosing = true;
        $this->watch();
    }

    private function watch(): void
    {
        if ($this->isGone) {
            return;
        }

        $wantsRead = ! $this->hasEnded
            && ($this->isClosing || (! $this->isToBeResumed && ! $this->answers->isFull()));
        $wantsWrite = $this->answers->hasBytes();

        if ($wantsRead !== $this->isReading) {
            $this->isReading = $wantsRead;
            $this->pace->pause();
            $this->clients->watchRead($this->stream, $wantsRead ? $this->read(...) : null);
        }

        if ($wantsWrite !== $this->isWriting) {
            $this->isWriting = $wantsWrite;
            $this->clients->watchWrite($this->stream, $wantsWrite ? $this->flushMore(...) : null);
        }
    }

    private function flushMore(): void
    {
        $this->flush();

        if (! $this->isGone && ! $this->isClosing && ! $this->answers->hasBytes() && $this->isBehind()) {
            $this->serve();
        }
    }

    /** A pipelined request waits, or one that asks whether to send its body. */
    private function isBehind(): bool
    {
        return $this->parser->pending() > 0 || $this->parser->phase() === RequestPhase::Body;
    }

    private function owesNothing(): bool
    {
        return $this->answers->oldest() === null && ! $this->answers->hasBytes();
    }

    private function whenSlow(int $now, Timeouts $timeouts): ?string
    {
        $slow = SlowRequest::seen(
            $this->parser->phase(),
            $this->pace,
            $this->headSince,
            $this->readAt,
            $now,
            $timeouts,
        );

        if ($slow?->answer === null) {
            return $slow === null ? null : $this->hangUp($slow->why);
        }

        $this->refuse($slow->answer);

        return $slow->why;
    }

    private function tooLate(PendingRequest $oldest): string
    {
        $oldest->send(Problem::response(
            504,
            'handler_timeout',
            'What was to answer this did not do so in time.',
        ));

        return 'handler';
    }

    /** Of the request that is being read. */
    private function refuse(Response $answer): void
    {
        $this->isClosing = true;
        $this->pace->end();
        $this->parser->abandon();
        $this->hold(0);
        $this->answers->add(new PendingRequest($this, '', false, $this->readAt))->send($answer);
    }
}
