<?php

declare(strict_types=1);

namespace Headroom\Host\Log;

/**
 * Reads lines of any bytes and any length in constant memory. It keeps the beginning of a line that is too long and
 * drops the rest. Lines end with LF or CRLF.
 *
 * @internal
 */
final class LineReader
{
    public const LONGEST = 65_536;

    private int $count = 0;

    private int $overlong = 0;

    private bool $isCut = false;

    /**
     * @param iterable<string> $chunks
     * @return iterable<string> without line ends
     */
    public function lines(iterable $chunks): iterable
    {
        $rest = '';
        $isTooLong = false;

        foreach ($chunks as $chunk) {
            if ($isTooLong) {
                $end = strpos($chunk, "\n");
                $isTooLong = $end === false;
                $chunk = $end === false ? '' : substr($chunk, $end + 1);
            }

            $text = $rest.$chunk;
            $lines = explode("\n", $text);
            $rest = array_pop($lines);
            $this->count += count($lines);

            if (str_contains($text, "\r")) {
                $lines = array_map(
                    static fn (string $line): string => str_ends_with($line, "\r") ? substr($line, 0, -1) : $line,
                    $lines,
                );
            }

            foreach ($lines as $line) {
                $line = self::withoutHole($line);

                yield strlen($line) > self::LONGEST ? $this->beginning($line) : $line;
            }

            $rest = self::withoutHole($rest);

            if (strlen($rest) > self::LONGEST) {
                yield $this->beginning($rest);
                $rest = '';
                $isTooLong = true;
            }
        }

        $this->isCut = $rest !== '' || $isTooLong;

        if ($this->isCut) {
            $this->count++;
        }

        if ($rest !== '') {
            yield $rest;
        }
    }

    /** A program that keeps its offset in a truncated log leaves a hole of zero bytes before its next line. */
    private static function withoutHole(string $line): string
    {
        return $line !== '' && $line[0] === "\0" ? ltrim($line, "\0") : $line;
    }

    public function count(): int
    {
        return $this->count;
    }

    /** The number of lines that were cut to their beginning. */
    public function overlong(): int
    {
        return $this->overlong;
    }

    /** Whether the last line had no line end: it was still being written, or the file was cut off. */
    public function isCut(): bool
    {
        return $this->isCut;
    }

    private function beginning(string $line): string
    {
        $this->overlong++;

        return substr($line, 0, self::LONGEST);
    }
}
