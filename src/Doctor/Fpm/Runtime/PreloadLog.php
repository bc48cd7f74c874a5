<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm\Runtime;

use Headroom\Doctor\Evidence;
use Headroom\Host\Log\LogTail;
use Headroom\Host\Log\UnableToReadLog;
use Headroom\Support\TerminalText;

/**
 * The line that a script of headroom preload logs at the start of PHP if it was made for another application or
 * version.
 *
 * @internal
 */
final readonly class PreloadLog
{
    private const BEGINS = 'headroom preload: ';

    /**
     * @param list<string> $paths of logs, the likeliest first
     * @return list<Evidence> the last such line of the first log that has one
     */
    public static function last(array $paths): array
    {
        foreach (array_filter($paths, static fn (string $path): bool => str_starts_with($path, '/')) as $path) {
            try {
                $lines = LogTail::of($path)->lines;
            } catch (UnableToReadLog) {
                continue;
            }

            $messages = array_filter($lines, static fn (string $line): bool => str_contains($line, self::BEGINS));

            if ($messages !== []) {
                return [new Evidence('message', TerminalText::line(end($messages)), $path)];
            }
        }

        return [];
    }
}
