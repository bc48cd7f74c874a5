<?php

declare(strict_types=1);

namespace Headroom\Http;

use function hexdec;
use function ltrim;
use function min;
use function preg_match;
use function rtrim;
use function strlen;
use function strpos;
use function substr;

/**
 * One body in chunks, put together as it comes (RFC 9112, section 7.1). What is around the data is not kept, so that
 * many small chunks take no more memory than the body they make.
 *
 * @internal
 */
final class ChunkedDecoder
{
    /** Of one chunk's size and extensions, with the line's end. */
    private const LINE_BYTES = 256;

    private const SIZE = '/\A([0-9A-Fa-f]{1,16})((?:[ \t]*+;[ \t]*+[!#$%&\'*+.^_`|~0-9A-Za-z-]++(?:[ \t]*+=[ \t]*+(?:[!#$%&\'*+.^_`|~0-9A-Za-z-]++|"(?:[^"\\\\\x00-\x08\x0A-\x1F\x7F]|\\\\[^\x00-\x08\x0A-\x1F\x7F])*+"))?+)*+)\r\z/';

    private string $data = '';

    /** Bytes of the chunk that are still to come, with the line end after it; -1 in the trailers, 0 before a size. */
    private int $left = 0;

    private int $extensions = 0;

    private bool $isWhole = false;

    public function __construct(private readonly MessageLimits $limits) {}

    /**
     * Takes what is there.
     *
     * @param int<1, max> $from right after a line feed at the first call, then what the last call returned
     * @return int<1, max>|HttpError from where on it is not taken yet, or not part of the body
     */
    public function take(string $buffer, int $from): int|HttpError
    {
        $length = strlen($buffer);

        while (! $this->isWhole && ($from < $length || $this->left < 0)) {
            $next = match (true) {
                $this->left < 0 => $this->trailers($buffer, $from),
                $this->left > 0 => $this->data($buffer, $from, $length),
                default => $this->size($buffer, $from, $length),
            };

            if ($next === $from || $next instanceof HttpError) {
                return $next;
            }

            $from = $next;
        }

        return $from;
    }

    /** The body, once it is whole. */
    public function whole(): ?string
    {
        return $this->isWhole ? $this->data : null;
    }

    /** @return int<0, max> of the body that have come */
    public function bytes(): int
    {
        return strlen($this->data);
    }

    /**
     * @param int<1, max> $from
     * @return int<1, max>|HttpError
     */
    private function size(string $buffer, int $from, int $length): int|HttpError
    {
        $end = strpos($buffer, "\n", $from);

        if (($end === false ? $length : $end + 1) - $from > self::LINE_BYTES) {
            return HttpError::chunkExtensions(self::LINE_BYTES);
        }

        if ($end === false) {
            return $from;
        }

        $line = substr($buffer, $from, $end - $from);

        if (preg_match(self::SIZE, $line, $found) !== 1) {
            return HttpError::chunk(rtrim($line, "\r"));
        }

        $this->extensions += strlen($found[2]);
        $digits = ltrim($found[1], '0');

        if ($this->extensions > $this->limits->headerBytes) {
            return HttpError::chunkExtensions($this->limits->headerBytes);
        }

        // Fifteen digits are less than what an integer holds.
        $size = strlen($digits) > 15 ? PHP_INT_MAX : (int) hexdec($digits);

        if ($size > $this->limits->bodyBytes - strlen($this->data)) {
            return HttpError::bodyTooLarge($this->limits->bodyBytes);
        }

        $this->left = $size === 0 ? -1 : $size + 2;

        return $end + 1;
    }

    /**
     * @param int<1, max> $from
     * @return int<1, max>|HttpError
     */
    private function data(string $buffer, int $from, int $length): int|HttpError
    {
        $bytes = min($this->left - 2, $length - $from);

        if ($bytes > 0) {
            $this->data .= substr($buffer, $from, $bytes);
            $this->left -= $bytes;

            return $from + $bytes;
        }

        if ($buffer[$from] !== ($this->left === 2 ? "\r" : "\n")) {
            return HttpError::chunkEnd();
        }

        $this->left--;

        return $from + 1;
    }

    /**
     * Checked, so that nobody reads them as something else, and dropped.
     *
     * @param int<1, max> $from
     * @return int<1, max>|HttpError
     */
    private function trailers(string $buffer, int $from): int|HttpError
    {
        $end = HeaderBlock::end($buffer, $from, $this->limits);
        $fields = $end === null || $end instanceof HttpError ? $end : HeaderBlock::parse($buffer, $from, $end, $this->limits);

        if ($fields instanceof HttpError || $end === null || $end instanceof HttpError) {
            return $fields instanceof HttpError ? $fields : $from;
        }

        $this->isWhole = true;

        return $end + 3;
    }
}
