<?php

declare(strict_types=1);

namespace Headroom\Http;

use Headroom\Collector\Request;

use function is_int;
use function max;
use function preg_match;
use function strlen;
use function strpos;
use function substr;

/**
 * The requests of one connection, in order, from its bytes as they come (RFC 9112). What comes out does not depend on
 * how the bytes were cut. Nothing is guessed and nothing is mended: what another reader might understand otherwise is
 * refused, as that is how requests are smuggled past a proxy.
 *
 * A feed is followed by next() until it gives no more. At most one request is put together at a time, within the
 * limits; of what was fed beyond it pending() tells the bytes, and the server reads no more while
 * it does not call next().
 *
 * @internal
 */
final class RequestParser
{
    /** Some clients send one after a body (RFC 9112, section 2.2). */
    private const EMPTY_LINES = 4;

    private string $buffer = '';

    /** @var int<0, max> what is before it in the buffer has been read */
    private int $at = 0;

    private RequestPhase $phase = RequestPhase::Idle;

    /** Of the request that is being put together. */
    private ?RequestLine $line = null;

    /** @var array<string, string> */
    private array $headers = [];

    /** @var int<0, max> */
    private int $length = 0;

    private ?ChunkedDecoder $chunks = null;

    private int $emptyLines = 0;

    private bool $expects = false;

    private bool $keepsAlive = true;

    /** @param string $peer the client's address, for Request */
    public function __construct(private readonly MessageLimits $limits, private readonly string $peer) {}

    public function feed(string $bytes): void
    {
        if ($this->phase !== RequestPhase::Over) {
            $this->buffer .= $bytes;
        }
    }

    /**
     * A whole request; or why there will be none, which is answered and the connection closed; or null: more is needed.
     * After a refusal, and after a request that was the last one, it is null for ever.
     */
    public function next(): Request|HttpError|null
    {
        $got = match ($this->phase) {
            RequestPhase::Over => null,
            RequestPhase::Body => $this->body(),
            default => $this->head(),
        };

        if ($got instanceof HttpError || ($got !== null && ! $this->keepsAlive)) {
            $this->abandon();
        }

        return $got;
    }

    /** There will be no further request. */
    public function abandon(): void
    {
        $this->phase = RequestPhase::Over;
        $this->keepsAlive = false;
        $this->buffer = '';
        $this->at = 0;
        $this->chunks = null;
    }

    public function phase(): RequestPhase
    {
        return $this->phase === RequestPhase::Idle && ($this->line !== null || $this->at < strlen($this->buffer))
            ? RequestPhase::Head
            : $this->phase;
    }

    /** Whether the client wants the connection kept after the request that next() gave last. */
    public function keepsAlive(): bool
    {
        return $this->keepsAlive;
    }

    /**
     * Whether the client waits for ResponseWriter::CONTINUE before it sends its body. True once for a request at most,
     * and only while nothing of its body has come; asked when next() has given null.
     */
    public function wantsContinue(): bool
    {
        $wants = $this->expects && $this->phase === RequestPhase::Body;
        $this->expects = false;

        return $wants;
    }

    /** @return int<0, max> bytes that were fed and of which no request has been given yet */
    public function pending(): int
    {
        return max(0, strlen($this->buffer) - $this->at) + ($this->chunks?->bytes() ?? 0);
    }

    private function head(): Request|HttpError|null
    {
        if ($this->line === null) {
            $line = $this->line();

            if (! $line instanceof RequestLine) {
                return $line;
            }

            $this->line = $line;
        }

        $begin = max(1, $this->at);
        $end = HeaderBlock::end($this->buffer, $begin, $this->limits);

        if (! is_int($end)) {
            // The line feed before it is looked at once more.
            $this->forget($begin - 1);

            return $end;
        }

        $headers = HeaderBlock::parse($this->buffer, $begin, $end, $this->limits);

        if ($headers instanceof HttpError) {
            return $headers;
        }

        $length = Framing::ofRequest($this->line, $headers, $this->limits);

        if ($length instanceof HttpError) {
            return $length;
        }

        if ($this->line->authority !== null) {
            $headers['host'] = $this->line->authority;
        }

        $this->at = $end + 3;
        $this->phase = RequestPhase::Body;
        $this->headers = $headers;
        $this->chunks = $length === Framing::CHUNKED ? new ChunkedDecoder($this->limits) : null;
        $this->length = max(0, $length);
        $this->expects = isset($headers['expect']) && ! $this->line->isOld;
        $this->keepsAlive = Framing::keepsAlive($headers['connection'] ?? null, $this->line->isOld);

        return $this->body();
    }

    private function line(): RequestLine|HttpError|null
    {
        $first = $this->buffer[$this->at] ?? '';

        if ($first < 'A' || $first > 'Z') {
            $refused = $first === '' ? null : $this->begin();

            if ($refused !== null || ! isset($this->buffer[$this->at]) || $this->buffer[$this->at] === "\r") {
                $this->forget($this->at);

                return $refused;
            }
        }

        $end = strpos($this->buffer, "\n", $this->at);

        // With the carriage return.
        if (($end === false ? strlen($this->buffer) : $end) - $this->at > $this->limits->requestLineBytes + 1) {
            return HttpError::targetTooLong($this->limits->requestLineBytes);
        }

        if ($end === false) {
            $this->forget($this->at);

            return null;
        }

        if ($this->buffer[$end - 1] !== "\r") {
            return HttpError::lineEnding();
        }

        $line = RequestLine::parse(substr($this->buffer, $this->at, $end - 1 - $this->at));
        $this->at = $end + 1;

        return $line;
    }

    /** What can come before a method, and what shows at once that there will be none. */
    private function begin(): ?HttpError
    {
        while (($this->buffer[$this->at] ?? '') === "\r" && isset($this->buffer[$this->at + 1])) {
            if ($this->buffer[$this->at + 1] !== "\n") {
                return HttpError::lineEnding();
            }

            $this->at += 2;

            if (++$this->emptyLines > self::EMPTY_LINES) {
                return HttpError::emptyLines(self::EMPTY_LINES);
            }
        }

        $first = $this->buffer[$this->at] ?? '';

        return match (true) {
            $first === '', $first === "\r", preg_match(HeaderBlock::TOKEN, $first) === 1 => null,
            $first === "\x16" => HttpError::tls(),
            $first === "\n" => HttpError::lineEnding(),
            default => HttpError::requestLine($first),
        };
    }

    private function body(): Request|HttpError|null
    {
        if ($this->at < strlen($this->buffer)) {
            $this->expects = false;
        }

        if ($this->chunks === null) {
            if ($this->at + $this->length > strlen($this->buffer)) {
                $this->forget($this->at);

                return null;
            }

            $body = substr($this->buffer, $this->at, $this->length);
            $this->at += $this->length;
        } else {
            $next = $this->chunks->take($this->buffer, max(1, $this->at));

            if ($next instanceof HttpError) {
                return $next;
            }

            $body = $this->chunks->whole();
            $this->at = $next;
            // As above, when trailers come.
            $this->forget($next - 1);
        }

        return $body === null ? null : $this->request($body);
    }

    private function request(string $body): ?Request
    {
        $line = $this->line;
        $headers = $this->headers;
        $this->phase = RequestPhase::Idle;
        $this->line = null;
        $this->headers = [];
        $this->chunks = null;
        $this->emptyLines = 0;
        $this->expects = false;

        return $line === null
            ? null
            : new Request($line->method, $line->path, $line->query, $headers, $body, $this->peer);
    }

    /** @param int<0, max> $before */
    private function forget(int $before): void
    {
        if ($before > 0) {
            $this->buffer = substr($this->buffer, $before);
            $this->at = max(0, $this->at - $before);
        }
    }
}
