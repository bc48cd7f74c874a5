<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues;

use Headroom\Support\Utf8Cut;
use Throwable;

/**
 * What went wrong in workers, in files of theirs, counted by what it was.
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

    /** One line. The query that Laravel adds has the job in it, and no two are the same. */
    public static function line(Throwable $failure): string
    {
        // It goes into JSON, and to a terminal.
        $text = preg_replace(
            ['/ \((Connection|SQL): .*\z/s', '/[\x00-\x20\x7f]+/'],
            ['', ' '],
            mb_scrub($failure->getMessage(), 'UTF-8'),
        );
        // Behind it, one without a name has its file.
        $class = substr((string) strrchr('\\'.explode("\0", $failure::class)[0], '\\'), 1);

        return self::cut("{$class}: {$text}")."\n";
    }

    /** Between words where there are some: half of one reads like another. */
    private static function cut(string $text): string
    {
        if (strlen($text) <= self::LONGEST) {
            return $text;
        }

        $short = Utf8Cut::cut($text, self::LONGEST - strlen(self::MORE));
        $end = strrpos($short, ' ');

        return ($end === false || $end < intdiv(self::LONGEST, 2) ? $short : substr($short, 0, $end)).self::MORE;
    }

    /** @return array<string, int> how often each was, the most frequent first */
    public static function in(string $directory): array
    {
        $counts = [];

        foreach ((array) glob("{$directory}/errors-*") as $file) {
            foreach ((array) file((string) $file, FILE_IGNORE_NEW_LINES | FILE_SKIP_EMPTY_LINES) as $line) {
                // Jobs differ by their numbers, and what happened to them does not.
                $line = (string) preg_replace('/[0-9a-f]{8}-[0-9a-f-]{27}/', '...', (string) $line);
                $counts[$line] = ($counts[$line] ?? 0) + 1;
            }
        }

        arsort($counts);

        return $counts;
    }
}
