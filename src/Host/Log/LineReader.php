<?php

declare(strict_types=1);

namespace Headroom\Host\Log;

/**
 * Lines of any bytes and any length in constant memory: of one that is too long its beginning is kept and the rest is
 * left out. Line ends are LF or CRLF.
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
     * @return iterable<string> without their ends
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

    /** A program that writes on where it was in a log that was emptied leaves a hole before its next line. */
    private static function withoutHole(string $line): string
    {
        return $line !== '' && $line[0] === "\0" ? ltrim($line, "\0") : $line;
    }

    public function count(): int
    {
        return $this->count;
    }

    /** Lines of which only the beginning was handed out. */
    public function overlong(): int
    {
        return $this->overlong;
    }

    /** Whether the last line had no end: somebody was writing it, or it was cut off. */
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
