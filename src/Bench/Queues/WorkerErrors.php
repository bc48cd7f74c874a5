<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues;

use Headroom\Support\Utf8Cut;
use Throwable;

/**
 * Errors of workers, written to files and counted by their text.
 *
 * @internal
 */
final readonly class WorkerErrors
{
    private const LONGEST = 240;

    private const MORE = ' ...';

    public static function path(string $directory, int $worker): string
    {
        return "{$directory}/errors-{$worker}";
    }

    /** One line. Laravel appends the query, which contains the job, so no two would be equal. */
    public static function line(Throwable $failure): string
    {
        // The text goes into JSON and to a terminal.
        $text = preg_replace(
            ['/ \((Connection|SQL): .*\z/s', '/[\x00-\x20\x7f]+/'],
            ['', ' '],
            mb_scrub($failure->getMessage(), 'UTF-8'),
        );
        // A class without a name has its file after a NUL.
        $class = substr((string) strrchr('\\'.explode("\0", $failure::class)[0], '\\'), 1);

        return self::cut("{$class}: {$text}")."\n";
    }

    /** Cuts between words where possible: half of a word looks like another word. */
    private static function cut(string $text): string
    {
        if (strlen($text) <= self::LONGEST) {
            return $text;
        }

        $short = Utf8Cut::cut($text, self::LONGEST - strlen(self::MORE));
        $end = strrpos($short, ' ');

        return ($end === false || $end < intdiv(self::LONGEST, 2) ? $short : substr($short, 0, $end)).self::MORE;
    }

    /** @return array<string, int> how often each occurred, the most frequent first */
    public static function in(string $directory): array
    {
        $counts = [];

        foreach ((array) glob("{$directory}/errors-*") as $file) {
            foreach ((array) file((string) $file, FILE_IGNORE_NEW_LINES | FILE_SKIP_EMPTY_LINES) as $line) {
                // Jobs differ by their ids, and their errors do not.
                $line = (string) preg_replace('/[0-9a-f]{8}-[0-9a-f-]{27}/', '...', (string) $line);
                $counts[$line] = ($counts[$line] ?? 0) + 1;
            }
        }

        arsort($counts);

        return $counts;
    }
}
