<?php

declare(strict_types=1);

namespace Headroom\Http;

use function ctype_xdigit;
use function hexdec;
use function is_int;
use function ltrim;
use function min;
use function preg_match;
use function rtrim;
use function strlen;
use function strpos;
use function substr;

/**
 * Decodes a chunked body as its bytes come (RFC 9112, section 7.1), and keeps none of it: many small chunks take no
 * more memory than the body.
 *
 * @internal
 */
final class ChunkedDecoder
{
    /** Size, extensions and line end of one chunk. */
    private const STRICT_LINE_BYTES = 256;

    private const LENIENT_LINE_BYTES = 4_096;

    private const STRICT_SIZE = '/\A([0-9A-Fa-f]{1,16})'
        .'((?:[ \t]*+;[ \t]*+[!#$%&\'*+.^_`|~0-9A-Za-z-]++'
        .'(?:[ \t]*+=[ \t]*+(?:[!#$%&\'*+.^_`|~0-9A-Za-z-]++'
        .'|"(?:[^"\\\\\x00-\x08\x0A-\x1F\x7F]|\\\\[^\x00-\x08\x0A-\x1F\x7F])*+"))?+)*+)\r\z/';

    private const LENIENT_SIZE = '/\A0*([0-9a-f]{1,15})[ \t]*(?:;.*)?\r*\z/i';

    // Phases, where the number is not the count of bytes that the chunk still lacks.
    private const SIZE = 0;

    private const LINE_END = -1;

    private const TRAILERS = -2;

    private const OVER = -3;

    /** The beginning of a line, or of a strict decoder's trailers, that is not complete yet. */
    private string $line = '';

    /** Bytes of the chunk that are still to come, or the part that comes next. */
    private int $left = self::SIZE;

    /** Of the body. */
    private int $bytes = 0;

    private int $extensionBytes = 0;

    private int $trailerBytes = 0;

    private readonly bool $isStrict;

    private readonly int $lineBytes;

    public function __construct(
        private readonly MessageLimits $limits,
        Strictness $strictness,
        private readonly BodyReceiver $receiver,
    ) {
        $this->isStrict = $strictness === Strictness::Strict;
        $this->lineBytes = $this->isStrict ? self::STRICT_LINE_BYTES : self::LENIENT_LINE_BYTES;
    }

    /**
     * @param int $at in the data, where the body begins or goes on
     * @return int|HttpError|null where the body has ended; null when more is needed
     */
    public function decode(string $data, int $at): int|HttpError|null
    {
        $length = strlen($data);

        while ($at < $length) {
            if ($this->left > 0) {
                $there = min($this->left, $length - $at);
                $this->receiver->receiveBody($data, $at, $there);
                $this->bytes += $there;
                $this->left = $there === $this->left ? self::LINE_END : $this->left - $there;
                $at += $there;

                continue;
            }

            $next = match ($this->left) {
                self::SIZE => $this->size($data, $at),
                self::LINE_END => $this->lineEnd($data, $at),
                default => $this->isStrict ? $this->trailers($data, $at) : $this->trailerLine($data, $at),
            };

            if (! is_int($next) || $this->left === self::OVER) {
                return $next;
            }

            $at = $next;
        }

        return null;
    }

    /** @return int bytes decoded so far */
    public function bytes(): int
    {
        return $this->bytes;
    }

    /** @return int bytes of a line or of trailers that are not complete */
    public function pending(): int
    {
        return strlen($this->line);
    }

    private function size(string $data, int $at): int|HttpError
    {
        $end = strpos($data, "\n", $at);
        $this->line .= $end === false ? substr($data, $at) : substr($data, $at, $end - $at);

        if (strlen($this->line) + ($end === false ? 0 : 1) > $this->lineBytes) {
            return HttpError::chunkExtensions($this->lineBytes);
        }

        if ($end === false) {
            // The end of a line that begins wrongly may never come, and a measured server is not waited for.
            return $this->isStrict || ctype_xdigit($this->line[0])
                ? strlen($data)
                : HttpError::chunk($this->line);
        }

        $line = $this->line;
        $this->line = '';

        if (preg_match($this->isStrict ? self::STRICT_SIZE : self::LENIENT_SIZE, $line, $found) !== 1) {
            return HttpError::chunk(rtrim($line, "\r"));
        }

        $this->extensionBytes += strlen($found[2] ?? '');
        $digits = ltrim($found[1], '0');

        if ($this->extensionBytes > $this->limits->headerBytes) {
            return HttpError::chunkExtensions($this->limits->headerBytes);
        }

        // Fifteen digits always fit an integer.
        $size = strlen($digits) > 15 ? PHP_INT_MAX : (int) hexdec($digits);

        if ($size > $this->limits->bodyBytes - $this->bytes) {
            return HttpError::bodyTooLarge($this->limits->bodyBytes);
        }

        if ($size === 0) {
            $this->left = self::TRAILERS;
            // HeaderBlock looks at the line feed before a section.
            $this->line = $this->isStrict ? "\n" : '';
        } else {
            $this->left = $size;
        }

        return $end + 1;
    }

    private function lineEnd(string $data, int $at): int|HttpError
    {
        $byte = $data[$at];

        if ($byte === "\r" && $this->line === '' && ($data[$at + 1] ?? '') === "\n") {
            $this->left = self::SIZE;

            return $at + 2;
        }

        if ($byte === "\n" && ($this->line === "\r" || ! $this->isStrict)) {
            $this->line = '';
            $this->left = self::SIZE;

            return $at + 1;
        }

        if ($byte !== "\r" || strlen($this->line) >= ($this->isStrict ? 1 : $this->lineBytes)) {
            return HttpError::chunkEnd();
        }

        $this->line .= $byte;

        return $at + 1;
    }

    /** Trailers are checked and dropped: another reader could take them for something else. */
    private function trailers(string $data, int $at): int|HttpError
    {
        $before = strlen($this->line);
        $this->line .= substr($data, $at);
        $end = HeaderBlock::end($this->line, 1, $this->limits);
        $fields = is_int($end) ? HeaderBlock::parse($this->line, 1, $end, $this->limits) : $end;

        if ($fields instanceof HttpError) {
            return $fields;
        }

        if (! is_int($end)) {
            return strlen($data);
        }

        $this->line = '';
        $this->left = self::OVER;

        return $at + $end + 3 - $before;
    }

    /** Dropped unread, as browsers do. */
    private function trailerLine(string $data, int $at): int|HttpError
    {
        $end = strpos($data, "\n", $at);
        $this->line .= $end === false ? substr($data, $at) : substr($data, $at, $end - $at);

        if ($this->trailerBytes + strlen($this->line) > $this->limits->headerBytes) {
            return HttpError::headersTooLarge($this->limits->headerBytes);
        }

        if ($end === false) {
            return strlen($data);
        }

        $this->trailerBytes += strlen($this->line) + 1;
        $this->left = rtrim($this->line, "\r") === '' ? self::OVER : self::TRAILERS;
        $this->line = '';

        return $end + 1;
    }
}
