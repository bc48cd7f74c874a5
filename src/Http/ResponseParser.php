<?php

declare(strict_types=1);

namespace Headroom\Http;

use function is_int;
use function max;
use function min;
use function preg_match;
use function str_contains;
use function strlen;
use function strncmp;
use function strpos;
use function substr;

/**
 * Parses the responses of one connection, one after the other, from their bytes as they come (RFC 9112). The result
 * does not depend on how the bytes were cut. Nothing of a response is kept but an incomplete head; a receiver gets the
 * rest.
 *
 * @internal
 */
final class ResponseParser
{
    /** Some servers leave out the space when they have no phrase. */
    private const STRICT_STATUS_LINE = '/\AHTTP\/1\.(\d) ([1-5]\d\d)(?: [^\x00-\x08\x0A-\x1F\x7F]*)?\r\n/';

    private const LENIENT_STATUS_LINE = '/\AHTTP\/1\.(\d) ([1-9]\d\d)(?: |\r?\n)/';

    private const STRICT_INTERIMS = 8;

    /** Some servers end their lines without a carriage return; a strict parser refuses them afterwards. */
    private const BLANK_LINE = '/\n\r?\n/';

    private readonly bool $isStrict;

    private ResponseReceiver $receiver;

    private bool $isHead = false;

    /** A head that is not complete yet. */
    private string $buffer = '';

    private int $interims = 0;

    private int $interimBytes = 0;

    /** Where the last line in the buffer begins, and how far line ends have been searched for. */
    private int $line = 0;

    private int $searched = 0;

    private bool $hasStarted = false;

    private bool $hasHead = false;

    /** @var array<string, string> */
    private array $headers = [];

    /** Bytes of the body that are still to come, or Framing::UNTIL_CLOSE. */
    private int $left = 0;

    /** Bytes of the body that have come. */
    private int $bytes = 0;

    private ?ChunkedDecoder $chunks = null;

    private bool $keepsAlive = false;

    public function __construct(private readonly MessageLimits $limits, private readonly Strictness $strictness)
    {
        $this->isStrict = $strictness === Strictness::Strict;
    }

    /** @param string $method of the request: the response to HEAD has no body */
    public function begin(ResponseReceiver $receiver, string $method): void
    {
        $this->receiver = $receiver;
        $this->isHead = $method === 'HEAD';
        $this->buffer = '';
        $this->interims = $this->interimBytes = $this->line = $this->searched = 0;
        $this->hasStarted = $this->hasHead = false;
        $this->headers = [];
        $this->left = $this->bytes = 0;
        $this->chunks = null;
        $this->keepsAlive = false;
    }

    /**
     * @return array<string, string> by name in lower case, after the head; a lenient parser knows only the fields that
     *     frame the message
     */
    public function headers(): array
    {
        return $this->headers;
    }

    /** Whether the server keeps the connection for another request, once the response is complete. */
    public function keepsAlive(): bool
    {
        return $this->keepsAlive;
    }

    /**
     * @return bool whether the response is complete
     *
     * @throws UnableToReadResponse
     */
    public function read(string $data): bool
    {
        $at = 0;

        if (! $this->hasHead) {
            $searched = max(0, strlen($this->buffer) - 2);
            // In place: a copy of the buffer for each piece would take long when the pieces are small.
            $this->buffer .= $data;
            $at = $this->head($searched);

            if ($at === null) {
                return false;
            }

            $data = $this->buffer;
            $this->buffer = '';
        }

        return $this->chunks === null ? $this->body($data, $at) : $this->chunked($this->chunks, $data, $at);
    }

    /**
     * The server has closed the connection, which ends a body of unknown length.
     *
     * @throws UnableToReadResponse
     */
    public function end(): void
    {
        if ($this->left === Framing::UNTIL_CLOSE && $this->chunks === null) {
            $this->left = 0;
            $this->keepsAlive = false;

            return;
        }

        throw match (true) {
            $this->hasHead => UnableToReadResponse::truncatedBody($this->chunks?->bytes() ?? $this->bytes),
            $this->hasStarted => UnableToReadResponse::truncatedHeader(),
            default => UnableToReadResponse::missing(),
        };
    }

    /**
     * Skips interim responses.
     *
     * @param int $searched bytes in which no head ends
     * @return ?int where the body begins; null when the head is not complete
     */
    private function head(int $searched): ?int
    {
        $this->hasStarted = $this->hasStarted || $this->buffer !== '';

        while (true) {
            if (strncmp($this->buffer, 'HTTP/', min(5, strlen($this->buffer))) !== 0) {
                throw UnableToReadResponse::statusLine($this->buffer);
            }

            $isWhole = preg_match(self::BLANK_LINE, $this->buffer, $found, PREG_OFFSET_CAPTURE, $searched) === 1;
            $end = $isWhole ? $found[0][1] + strlen($found[0][0]) : strlen($this->buffer);
            $this->limitHead($end);

            if (! $isWhole) {
                // A wrong status line is refused before the rest of the head, which may never come.
                str_contains($this->buffer, "\n") ? $this->statusLine($this->buffer) : null;

                return null;
            }

            $this->take(substr($this->buffer, 0, $end));

            if ($this->hasHead) {
                return $end;
            }

            $this->buffer = substr($this->buffer, $end);
            $this->interimBytes += $end;
            $this->line = $this->searched = $searched = 0;
        }
    }

    private function take(string $head): void
    {
        [$line, $minor, $status] = $this->statusLine($head);
        $status = (int) $status;
        $headers = $this->isStrict ? $this->fields($head, max(1, strlen($line))) : HeaderBlock::framing($head);

        if ($status === 101 && $this->isStrict) {
            throw UnableToReadResponse::upgraded();
        }

        // After an upgrade that was not requested, the connection carries no further response.
        if ($status < 200 && $status !== 101) {
            if (++$this->interims > self::STRICT_INTERIMS && $this->isStrict) {
                throw UnableToReadResponse::interimOnly(self::STRICT_INTERIMS);
            }

            return;
        }

        $this->hasHead = true;
        $this->headers = $headers;
        $this->receiver->receiveHead($status, $head);
        $isOld = $minor === '0';
        $this->keepsAlive = $status !== 101 && Framing::keepsAlive($headers['connection'] ?? null, $isOld);

        if (! $this->isHead && $status !== 204 && $status !== 304 && $status !== 101) {
            $this->frame($headers, $isOld);
        }
    }

    /** @return array{string, string, string} the line or its beginning, the minor version, the status */
    private function statusLine(string $head): array
    {
        $pattern = $this->isStrict ? self::STRICT_STATUS_LINE : self::LENIENT_STATUS_LINE;

        if (preg_match($pattern, $head, $found) !== 1) {
            throw UnableToReadResponse::statusLine($head);
        }

        return $found;
    }

    /**
     * @param int<1, max> $from
     * @return array<string, string>
     */
    private function fields(string $head, int $from): array
    {
        $end = HeaderBlock::end($head, $from, $this->limits);
        $headers = is_int($end) ? HeaderBlock::parse($head, $from, $end, $this->limits) : $end;

        return $headers instanceof HttpError ? throw UnableToReadResponse::refused($headers) : $headers ?? [];
    }

    /** @param array<string, string> $headers */
    private function frame(array $headers, bool $isOld): void
    {
        $length = Framing::ofResponse($headers, $isOld, $this->limits, $this->strictness);

        if ($length instanceof HttpError) {
            throw $this->refused($length);
        }

        $this->left = $length;

        if ($length === Framing::CHUNKED) {
            $this->chunks = new ChunkedDecoder($this->limits, $this->strictness, $this->receiver);
            // Together with a length, or in HTTP/1.0, the coding may be a mistake (RFC 9112, section 6.1).
            $this->keepsAlive = $this->keepsAlive && ! $isOld && ! isset($headers['content-length']);
        }
    }

    private function body(string $data, int $at): bool
    {
        $there = strlen($data) - $at;

        if ($this->left === Framing::UNTIL_CLOSE) {
            if ($there > $this->limits->bodyBytes - $this->bytes) {
                throw UnableToReadResponse::bodyTooLarge($this->limits->bodyBytes);
            }

            $this->bytes += $there;
            $this->receiver->receiveBody($data, $at, $there);

            return false;
        }

        if ($there > $this->left) {
            // The server sends more than was requested.
            $this->keepsAlive = false;
            $there = $this->left;
        }

        $this->bytes += $there;
        $this->receiver->receiveBody($data, $at, $there);
        $this->left -= $there;

        return $this->left === 0;
    }

    private function chunked(ChunkedDecoder $chunks, string $data, int $at): bool
    {
        $end = $chunks->decode($data, $at);

        if ($end instanceof HttpError) {
            throw $this->refused($end);
        }

        if ($end === null) {
            return false;
        }

        if ($end < strlen($data)) {
            $this->keepsAlive = false;
        }

        $this->chunks = null;
        $this->left = 0;

        return true;
    }

    private function refused(HttpError $error): UnableToReadResponse
    {
        return $error->status === 413
            ? UnableToReadResponse::bodyTooLarge($this->limits->bodyBytes)
            : UnableToReadResponse::refused($error);
    }

    /** @param int $end of the part of the head that has come */
    private function limitHead(int $end): void
    {
        if ($this->isStrict ? $this->isSectionTooLong($end) : $this->isLineTooLong($end)) {
            throw UnableToReadResponse::headerTooLarge($this->limits->startLineBytes, $this->limits->headerBytes);
        }
    }

    private function isSectionTooLong(int $end): bool
    {
        $feed = strpos($this->buffer, "\n");

        // The status line has a carriage return before its line feed.
        return $feed === false
            ? $end > $this->limits->startLineBytes + 1
            : $feed > $this->limits->startLineBytes + 1 || $end - $feed - 1 > $this->limits->headerBytes;
    }

    private function isLineTooLong(int $end): bool
    {
        $isLong = $this->interimBytes + $end > $this->limits->headerBytes;

        // A shorter head has no line that is too long.
        if ($end <= $this->limits->startLineBytes || $isLong) {
            return $isLong;
        }

        while ($this->searched < $end && ($feed = strpos($this->buffer, "\n", $this->searched)) !== false) {
            if ($feed - $this->line > $this->limits->startLineBytes) {
                return true;
            }

            $this->line = $this->searched = $feed + 1;
        }

        $this->searched = $end;

        return $end - $this->line > $this->limits->startLineBytes;
    }
}
