<?php

declare(strict_types=1);

namespace Headroom\Host\Log;

use InflateContext;

/**
 * Unpacks a stream of gzip data, one member after another (RFC 1952, section 2.2).
 *
 * @internal
 */
final class Gunzip
{
    public const MAGIC = "\x1f\x8b";

    /** deflate compresses at most 1032:1, so one piece unpacks to about 4 MB at most, even if the data is malicious. */
    private const PIECE_BYTES = 4_096;

    private ?InflateContext $member = null;

    private string $waiting = '';

    private bool $isCorrupt = false;

    /** Data after the last member that does not start a member is padding. gzip ignores it too. */
    private bool $isPadding = false;

    /** @return iterable<string> */
    public function add(string $bytes): iterable
    {
        $this->waiting .= $bytes;

        while ($this->waiting !== '' && ! $this->isCorrupt && ! $this->isPadding && $this->hasMember()) {
            yield $this->unpacked();
        }
    }

    public function isCorrupt(): bool
    {
        return $this->isCorrupt;
    }

    public function isWhole(): bool
    {
        return $this->member === null && ($this->isPadding || $this->waiting === '');
    }

    private function hasMember(): bool
    {
        if ($this->member === null && strlen($this->waiting) >= strlen(self::MAGIC)) {
            $context = str_starts_with($this->waiting, self::MAGIC) ? inflate_init(ZLIB_ENCODING_GZIP) : false;
            $this->member = $context === false ? null : $context;
            $this->isPadding = $this->member === null;
        }

        return $this->member !== null;
    }

    private function unpacked(): string
    {
        $piece = substr($this->waiting, 0, self::PIECE_BYTES);

        if ($this->member === null) {
            return '';
        }

        $before = inflate_get_read_len($this->member);
        $text = @inflate_add($this->member, $piece);
        $this->isCorrupt = $text === false;
        $isEnd = inflate_get_status($this->member) === ZLIB_STREAM_END;
        $this->waiting = substr(
            $this->waiting,
            $isEnd ? inflate_get_read_len($this->member) - $before : strlen($piece),
        );
        $this->member = $isEnd ? null : $this->member;

        return (string) $text;
    }
}
