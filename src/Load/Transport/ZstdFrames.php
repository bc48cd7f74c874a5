<?php

declare(strict_types=1);

namespace Headroom\Load\Transport;

/**
 * Cuts zstd data after each block and each frame. PHP's extension drops the rest of a piece in which a frame ends, holds
 * back data that does not fit its buffer of one block, and does not report whether a frame is complete.
 *
 * @see https://www.rfc-editor.org/rfc/rfc8878#section-3
 *
 * @internal
 */
final class ZstdFrames
{
    private const MAGIC = "\x28\xB5\x2F\xFD";

    /** The beginning of a frame, or of a skippable one: its length and that many bytes of any data follow. */
    private const BEGINNING =
        '/\A(?:\x28\z|\x28\xB5\z|\x28\xB5\x2F\z|\x28\xB5\x2F\xFD|[\x50-\x5F](?:\z|\x2A(?:\z|\x4D(?:\z|\x18))))/';

    private const MAGIC_BYTES = 4;

    private const BLOCK_BYTES = 3;

    private const CHECKSUM_BYTES = 4;

    private const DICTIONARY_BYTES = [0, 1, 2, 4];

    private const SIZE_BYTES = [0, 2, 4, 8];

    private const RLE = 1;

    /** The beginning of a header that is not complete yet. */
    private string $header = '';

    /** Bytes of the block, or of the part after the blocks, that are still to come. */
    private int $left = 0;

    /** Bytes after the last block (a checksum, or none); null between two frames. */
    private ?int $tail = null;

    private bool $isLast = false;

    /** The next bytes are no frame. */
    private bool $isOver = false;

    private bool $hasFrame = false;

    /** @return list<string> pieces that contain no end of a block but at their own end */
    public function cut(string $data): array
    {
        $pieces = [];
        $piece = '';
        $at = 0;

        while ($at < strlen($data)) {
            if ($this->isOver) {
                // After a complete frame it is padding, as after gzip; otherwise the extension reports the error.
                return $this->hasFrame ? $pieces : [...$pieces, $piece.substr($data, $at)];
            }

            $part = substr($data, $at, max(1, $this->left));
            $piece .= $part;
            $at += strlen($part);
            $this->take($part);

            if ($this->header === '' && $this->left === 0) {
                $pieces[] = $piece;
                $piece = '';
            }
        }

        return $piece === '' || ($this->isOver && $this->hasFrame) ? $pieces : [...$pieces, $piece];
    }

    /** Whether every frame that has begun has ended. */
    public function isWhole(): bool
    {
        return $this->tail === null && $this->left === 0 && ($this->isOver ? $this->hasFrame : $this->header === '');
    }

    private function take(string $part): void
    {
        if ($this->left === 0) {
            $this->header .= $part;
            $this->readHeader(strlen($this->header));

            return;
        }

        $this->left -= strlen($part);

        if ($this->left === 0) {
            $this->endBlock();
        }
    }

    private function readHeader(int $length): void
    {
        if ($this->tail !== null) {
            $length < self::BLOCK_BYTES ? null : $this->beginBlock();
        } elseif ($length <= self::MAGIC_BYTES && preg_match(self::BEGINNING, $this->header) !== 1) {
            $this->isOver = true;
        } elseif ($length > self::MAGIC_BYTES) {
            str_starts_with($this->header, self::MAGIC) ? $this->beginFrame($length) : $this->skip($length);
        }
    }

    private function beginFrame(int $length): void
    {
        $descriptor = ord($this->header[self::MAGIC_BYTES]);
        $isSingle = ($descriptor & 0x20) !== 0;
        $size = self::SIZE_BYTES[$descriptor >> 6];
        $rest = ($isSingle ? max(1, $size) : 1 + $size) + self::DICTIONARY_BYTES[$descriptor & 0x03];

        if ($length === self::MAGIC_BYTES + 1 + $rest) {
            $this->header = '';
            $this->isLast = false;
            $this->tail = ($descriptor & 0x04) === 0 ? 0 : self::CHECKSUM_BYTES;
        }
    }

    private function skip(int $length): void
    {
        if ($length === 2 * self::MAGIC_BYTES) {
            $this->left = self::number(substr($this->header, self::MAGIC_BYTES));
            $this->header = '';
            $this->isLast = true;
            $this->tail = $this->left === 0 ? null : 0;
        }
    }

    private function beginBlock(): void
    {
        $number = self::number($this->header);
        $this->header = '';
        $this->isLast = ($number & 1) === 1;
        $this->left = (($number >> 1) & 0x03) === self::RLE ? 1 : $number >> 3;

        if ($this->left === 0) {
            $this->endBlock();
        }
    }

    private function endBlock(): void
    {
        if ($this->isLast) {
            $this->left = $this->tail ?? 0;
            $this->tail = $this->left > 0 ? 0 : null;
            $this->hasFrame = $this->hasFrame || $this->tail === null;
        }
    }

    /** Little-endian. */
    private static function number(string $bytes): int
    {
        return (int) hexdec(bin2hex(strrev($bytes)));
    }
}
