<?php

declare(strict_types=1);

namespace Headroom\Load\Transport;

/**
 * The body of one answer in chunks, as it comes.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9112#section-7.1
 *
 * @internal
 */
final class Chunks
{
    private const LINE_BYTES = 4_096;

    private const TRAILER_BYTES = 102_400;

    private const SIZE = '/\A0*([0-9a-f]{1,15})[ \t]*(?:;.*)?\z/i';

    private const DIGITS = '0123456789abcdefABCDEF';

    /** The beginning of a line that is not whole yet. */
    private string $line = '';

    /** Of the chunk that is coming in. */
    private int $left = 0;

    private ChunkPart $part = ChunkPart::Size;

    private int $trailers = 0;

    public function __construct(private readonly Exchange $exchange) {}

    /**
     * @return ?int where the body has ended; null when more is to come
     *
     * @throws UnableToExchange
     */
    public function read(string $data, int $at): ?int
    {
        $length = strlen($data);

        while ($at < $length) {
            if ($this->part === ChunkPart::Data) {
                $there = min($this->left, $length - $at);
                $this->exchange->take($data, $at, $there);
                $this->left -= $there;
                $at += $there;
                $this->part = $this->left === 0 ? ChunkPart::End : ChunkPart::Data;

                continue;
            }

            $end = strpos($data, "\n", $at);
            $this->line .= substr($data, $at, $end === false ? null : $end - $at);
            $this->demandBeginning();
            $this->demandLength();

            if ($end === false) {
                return null;
            }

            $at = $end + 1;
            $line = rtrim($this->line, "\r");
            $this->line = '';

            if ($this->isLast($line)) {
                return $at;
            }
        }

        return null;
    }

    private function isLast(string $line): bool
    {
        if ($this->part === ChunkPart::Trailers) {
            $this->trailers += strlen($line) + 1;

            return $line === '';
        }

        if ($this->part === ChunkPart::End) {
            $this->part = ChunkPart::Size;

            return false;
        }

        if (preg_match(self::SIZE, $line, $found) !== 1) {
            throw self::withoutSize($line);
        }

        $this->left = (int) hexdec($found[1]);
        $this->part = $this->left === 0 ? ChunkPart::Trailers : ChunkPart::Data;

        return false;
    }

    /** What goes wrong at once is not waited for: the end of such a line may never come. */
    private function demandBeginning(): void
    {
        if ($this->part === ChunkPart::End && trim($this->line, "\r") !== '') {
            throw UnableToExchange::notHttp('a chunk that is longer than it says, with', $this->line);
        }

        if ($this->part === ChunkPart::Size && $this->line !== '' && strspn($this->line, self::DIGITS, 0, 1) === 0) {
            throw self::withoutSize($this->line);
        }
    }

    private static function withoutSize(string $line): UnableToExchange
    {
        return UnableToExchange::notHttp('a chunk that does not begin with its size', $line);
    }

    private function demandLength(): void
    {
        $isTrailers = $this->part === ChunkPart::Trailers;

        if (strlen($this->line) + $this->trailers > ($isTrailers ? self::TRAILER_BYTES : self::LINE_BYTES)) {
            throw $isTrailers
                ? UnableToExchange::headerTooLong(self::TRAILER_BYTES, self::TRAILER_BYTES)
                : UnableToExchange::notHttp('a line about a chunk that does not end', $this->line);
        }
    }
}
