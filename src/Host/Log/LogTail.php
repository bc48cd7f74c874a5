<?php

declare(strict_types=1);

namespace Headroom\Host\Log;

use function array_map;
use function array_pop;
use function array_shift;
use function clearstatcache;
use function explode;
use function fclose;
use function fopen;
use function fseek;
use function fstat;
use function is_array;
use function lstat;
use function max;
use function stream_get_contents;
use function substr;

/**
 * The last lines of a log that somebody else writes. Its directory may be that of another user, who may put anything in
 * its place: a link is not followed, a pipe is not waited for, and no more is read than a part.
 *
 * @internal
 */
final readonly class LogTail
{
    public const BYTES = 2_097_152;

    private const FORMAT = 0o170000;

    private const REGULAR = 0o100000;

    /** @param list<string> $lines whole ones, without their ends */
    private function __construct(public array $lines) {}

    /** @throws UnableToReadLog */
    public static function of(string $path): self
    {
        clearstatcache(true, $path);
        $before = @lstat($path);

        if (is_array($before) && ($before['mode'] & self::FORMAT) !== self::REGULAR) {
            throw UnableToReadLog::notAFile($path);
        }

        // Opening a pipe without n waits until somebody writes into it.
        $stream = @fopen($path, 'rn');

        if ($stream === false) {
            throw UnableToReadLog::notOpened($path, UnableToReadLog::lastReason());
        }

        try {
            $stat = fstat($stream);

            // What was looked at is what was opened.
            if (
                $stat === false
                || ! is_array($before)
                || ($stat['mode'] & self::FORMAT) !== self::REGULAR
                || [$stat['dev'], $stat['ino']] !== [$before['dev'], $before['ino']]
            ) {
                throw UnableToReadLog::notAFile($path);
            }

            return self::ending($path, $stream, $stat['size']);
        } finally {
            fclose($stream);
        }
    }

    /**
     * @param resource $stream
     *
     * @throws UnableToReadLog
     */
    private static function ending(string $path, $stream, int $size): self
    {
        // One byte more tells whether the first line is a whole one.
        $start = max(0, $size - self::BYTES - 1);
        $text = fseek($stream, $start) === 0 ? @stream_get_contents($stream, self::BYTES + 1) : false;

        if ($text === false) {
            throw UnableToReadLog::failed($path, $start, UnableToReadLog::lastReason());
        }

        $lines = explode("\n", $text);
        // Behind the last end of a line is what somebody is writing.
        array_pop($lines);

        if ($start > 0) {
            array_shift($lines);
        }

        return new self(array_map(static fn (string $line): string => substr($line, 0, LineReader::LONGEST), $lines));
    }
}
