<?php

declare(strict_types=1);

namespace Headroom\Http;

use Headroom\Collector\Response;

use function array_diff_key;
use function in_array;
use function is_int;
use function max;
use function min;
use function preg_match;
use function strlen;
use function strpos;
use function substr;

/**
 * What a server answers to one request of ours, from its bytes as they come (RFC 9112): as strict as RequestParser is.
 * Interim answers are skipped. The next request on the connection gets a parser of its own.
 *
 * @internal
 */
final class ResponseParser
{
    private const INTERIM_ANSWERS = 8;

    private const UNTIL_CLOSE = -2;

    /** Some servers leave out the space when they have no phrase. */
    private const STATUS_LINE = '/\AHTTP\/1\.(\d) ([1-5]\d\d)(?: [^\x00-\x08\x0A-\x1F\x7F]*)?\z/';

    /** Of the connection and not of the answer; see Response. */
    private const LEFT_OUT = [
        'connection' => 1,
        'content-length' => 1,
        'date' => 1,
        'keep-alive' => 1,
        'transfer-encoding' => 1,
    ];

    private string $buffer = '';

    private int $fed = 0;

    /** @var int<0, max> what is before it in the buffer has been read */
    private int $at = 0;

    /** @var int<0, 599> of the answer whose header section is read; 0 before its status line */
    private int $status = 0;

    private bool $isOld = false;

    private int $interim = 0;

    /** @var ?array<string, string> once the header section is whole */
    private ?array $headers = null;

    /** @var int<-2, max> */
    private int $length = 0;

    private ?ChunkedDecoder $chunks = null;

    private bool $isOver = false;

    private bool $keepsAlive = false;

    /** @param string $method of the request: what is answered to HEAD has no body */
    public function __construct(private readonly MessageLimits $limits, private readonly string $method) {}

    public function feed(string $bytes): void
    {
        $this->fed += strlen($bytes);

        if (! $this->isOver) {
            $this->buffer .= $bytes;
        } elseif ($bytes !== '') {
            // Nobody asked for it.
            $this->keepsAlive = false;
        }
    }

    /**
     * The final answer, with header names in lower case; null: more is needed, or it has been given.
     *
     * @throws UnableToReadResponse
     */
    public function next(): ?Response
    {
        while (! $this->isOver && $this->headers === null) {
            if (! $this->head()) {
                return null;
            }
        }

        return $this->isOver ? null : $this->body();
    }

    /**
     * The server has closed the connection, which ends a body of no told length.
     *
     * @throws UnableToReadResponse
     */
    public function end(): ?Response
    {
        if ($this->isOver) {
            return null;
        }

        $response = $this->next();

        if ($response !== null) {
            $this->keepsAlive = false;

            return $response;
        }

        if ($this->headers === null || $this->length !== self::UNTIL_CLOSE) {
            throw $this->failed(UnableToReadResponse::closedEarly($this->fed));
        }

        return $this->response(substr($this->buffer, $this->at));
    }

    /**
     * Whether the connection can carry another request: the answer is there, nothing came after it,
     * and its server keeps it.
     */
    public function keepsAlive(): bool
    {
        return $this->keepsAlive;
    }

    /**
     * @return bool whether it is whole
     *
     * @throws UnableToReadResponse
     */
    private function head(): bool
    {
        if ($this->status === 0 && ! $this->statusLine()) {
            return false;
        }

        $begin = max(1, $this->at);
        $end = HeaderBlock::end($this->buffer, $begin, $this->limits);

        if (! is_int($end)) {
            return $end === null ? false : throw $this->refused($end);
        }

        $headers = HeaderBlock::parse($this->buffer, $begin, $end, $this->limits);

        if ($headers instanceof HttpError) {
            throw $this->refused($headers);
        }

        $this->at = $end + 3;

        if ($this->status >= 200) {
            $length = $this->length($headers);
            $this->length = $length instanceof HttpError ? throw $this->refused($length) : $length;
            $this->chunks = $this->length === Framing::CHUNKED ? new ChunkedDecoder($this->limits) : null;
            $this->headers = $headers;

            return true;
        }

        if ($this->status === 101) {
            throw $this->failed(UnableToReadResponse::upgraded());
        }

        if (++$this->interim > self::INTERIM_ANSWERS) {
            throw $this->failed(UnableToReadResponse::interimOnly(self::INTERIM_ANSWERS));
        }

        $this->status = 0;

        return true;
    }

    /** @throws UnableToReadResponse */
    private function statusLine(): bool
    {
        $end = strpos($this->buffer, "\n", $this->at);

        if (($end === false ? strlen($this->buffer) : $end) - $this->at > $this->limits->requestLineBytes + 1) {
            throw $this->failed(UnableToReadResponse::statusLineTooLong($this->limits->requestLineBytes));
        }

        if ($end === false) {
            return false;
        }

        $line = substr($this->buffer, $this->at, $end - $this->at);

        if (($line[-1] ?? '') !== "\r" || preg_match(self::STATUS_LINE, substr($line, 0, -1), $found) !== 1) {
            throw $this->failed(UnableToReadResponse::statusLine($line));
        }

        $this->isOld = $found[1] === '0';
        $this->status = max(100, min(599, (int) $found[2]));
        $this->at = $end + 1;

        return true;
    }

    /**
     * @param array<string, string> $headers
     * @return int<-2, max>|HttpError
     */
    private function length(array $headers): int|HttpError
    {
        $length = $headers['content-length'] ?? null;
        $coding = $headers['transfer-encoding'] ?? null;

        return match (true) {
            $this->method === 'HEAD', in_array($this->status, [204, 304], true) => 0,
            $coding !== null => Framing::coding($coding, $length !== null, $this->isOld),
            $length !== null => Framing::length($length, $this->limits),
            default => self::UNTIL_CLOSE,
        };
    }

    /** @throws UnableToReadResponse */
    private function body(): ?Response
    {
        if ($this->chunks !== null) {
            $next = $this->chunks->take($this->buffer, max(1, $this->at));

            if ($next instanceof HttpError) {
                throw $this->refused($next);
            }

            // The line feed before it is looked at once more when trailers come.
            $this->buffer = substr($this->buffer, $next - 1);
            $this->at = 1;
            $body = $this->chunks->whole();

            return $body === null ? null : $this->response($body);
        }

        if ($this->length === self::UNTIL_CLOSE) {
            return strlen($this->buffer) - $this->at > $this->limits->bodyBytes
                ? throw $this->refused(HttpError::bodyTooLarge($this->limits->bodyBytes))
                : null;
        }

        $length = max(0, $this->length);

        if (strlen($this->buffer) - $this->at < $length) {
            return null;
        }

        $body = substr($this->buffer, $this->at, $length);
        $this->at += $length;

        return $this->response($body);
    }

    private function response(string $body): Response
    {
        $headers = $this->headers ?? [];
        $isAll = $this->length !== self::UNTIL_CLOSE && $this->at === strlen($this->buffer);
        $this->over();
        $this->keepsAlive = $isAll && Framing::keepsAlive($headers['connection'] ?? null, $this->isOld);

        return new Response(max(200, $this->status), $body, array_diff_key($headers, self::LEFT_OUT));
    }

    private function refused(HttpError $refused): UnableToReadResponse
    {
        return $this->failed(
            $refused->status === 413
                ? UnableToReadResponse::bodyTooLarge($this->limits->bodyBytes)
                : UnableToReadResponse::refused($refused),
        );
    }

    private function failed(UnableToReadResponse $failure): UnableToReadResponse
    {
        $this->over();

        return $failure;
    }

    private function over(): void
    {
        $this->isOver = true;
        $this->keepsAlive = false;
        $this->buffer = '';
        $this->chunks = null;
    }
}
