<?php

declare(strict_types=1);

namespace Headroom\Host\Log;

/**
 * The last lines of a log that another program writes. Another user may own its directory and may replace the log with
 * anything, so the reader follows no link, never waits for a pipe, and reads a limited number of bytes.
 *
 * @internal
 */
final readonly class LogTail
{
    public const BYTES = 2_097_152;

    private const FORMAT = 0o170000;

    private const REGULAR = 0o100000;

    /** @param list<string> $lines complete lines, without line ends */
    private function __construct(public array $lines) {}

    /** @throws UnableToReadLog */
    public static function of(string $path): self
    {
        clearstatcache(true, $path);
        $before = @lstat($path);

        if (is_array($before) && ($before['mode'] & self::FORMAT) !== self::REGULAR) {
            throw UnableToReadLog::notAFile($path);
        }

        // Without n, opening a pipe blocks until a process writes to it.
        $stream = @fopen($path, 'rn');

        if ($stream === false) {
            throw UnableToReadLog::notOpened($path, UnableToReadLog::lastReason());
        }

        try {
            $stat = fstat($stream);

            // The opened file must be the one that lstat() checked.
            if (
                $stat === false
                || ! is_array($before)
                || ($stat['mode'] & self::FORMAT) !== self::REGULAR
                || [$stat['dev'], $stat['ino']] !== [$before['dev'], $before['ino']]
            ) {
                throw UnableToReadLog::notAFile($path);
            }

            return self::readEnd($path, $stream, $stat['size']);
        } finally {
            fclose($stream);
        }
    }

    /**
     * @param resource $stream
     *
     * @throws UnableToReadLog
     */
    private static function readEnd(string $path, $stream, int $size): self
    {
        // One extra byte shows whether the first line is complete.
        $start = max(0, $size - self::BYTES - 1);
        $text = fseek($stream, $start) === 0 ? @stream_get_contents($stream, self::BYTES + 1) : false;

        if ($text === false) {
            throw UnableToReadLog::failed($path, $start, UnableToReadLog::lastReason());
        }

        $lines = explode("\n", $text);
        // The text after the last line end is a line that is still being written.
        array_pop($lines);

        if ($start > 0) {
            array_shift($lines);
        }

        return new self(array_map(static fn (string $line): string => substr($line, 0, LineReader::LONGEST), $lines));
    }
}
