<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use PHPUnit\Framework\Assert;
use RuntimeException;

/**
 * The words that a command prints, one file a command in tests/Snapshots. `make snapshots` writes these files again;
 * read their diff before you commit it. Numbers, times, ids and temporary paths are left out: the tests assert those.
 */
final class Snapshot
{
    private const WRITE = 'HEADROOM_SNAPSHOTS';

    private const DIRECTORY = __DIR__.'/../Snapshots';

    /**
     * @param string $subject the command, such as `spool:status`, or the room and what it holds, such as `doctor nginx`
     * @param string $case what was the case when it printed this; unique within the subject
     */
    public static function assertPrinted(string $subject, string $case, string $printed): void
    {
        $file = self::DIRECTORY.'/'.trim((string) preg_replace('/[^a-z0-9]+/i', '-', $subject), '-').'.txt';
        $words = self::words($printed);

        if (getenv(self::WRITE) === 'write') {
            self::write($file, $case, $words);
        }

        $kept = self::read((string) @file_get_contents($file))[$case] ?? null;
        Assert::assertNotNull($kept, "{$file} has no '{$case}'. Write it with: make snapshots");
        Assert::assertSame($kept, $words, "{$file}, '{$case}'. If that is intended: make snapshots");
    }

    public static function words(string $printed): string
    {
        $replaced = preg_replace([
            '/\e\[[0-9;?]*[A-Za-z]/',
            '~'.preg_quote(dirname(__DIR__, 2), '~').'~',
            '~'.preg_quote(sys_get_temp_dir(), '~').'/[\w.-]+~',
            // A hash or a random id.
            '/\b(?=[a-f]*\d)[0-9a-f]{8,}\b/',
            '/\d+(?:[.,:T+-]?\d+)*(?:e[+-]?\d+)?Z?/',
            '/(?<=N )(?:ns|µs|ms|s|min|h|days?|seconds?|minutes?|hours?)\b/u',
            '/(?<=N )(?:bytes?|[KMGTkmgt]i?B)\b/',
            '/[-=─━]{3,}/u',
            '/[ \t]{2,}/',
            '/[ \t]+$/m',
        ], ['', '<repository>', '<temporary>', '<id>', 'N', '<time>', '<size>', '---', '  ', ''], $printed);

        return trim($replaced ?? throw new RuntimeException('What was printed is not UTF-8.'), "\n");
    }

    private static function write(string $file, string $case, string $words): void
    {
        is_dir(self::DIRECTORY) || mkdir(self::DIRECTORY);
        $stream = fopen($file, 'c+');
        is_resource($stream) || throw new RuntimeException("{$file} cannot be written.");
        flock($stream, LOCK_EX);
        $cases = [$case => $words] + self::read((string) stream_get_contents($stream));
        ksort($cases, SORT_STRING);
        $text = '';

        foreach ($cases as $name => $kept) {
            $text .= "=== {$name}\n{$kept}\n\n";
        }

        ftruncate($stream, 0);
        rewind($stream);
        fwrite($stream, substr($text, 0, -1));
        fclose($stream);
    }

    /** @return array<string, string> */
    private static function read(string $text): array
    {
        $cases = [];
        $parts = (array) preg_split('/^=== (.+)\n/m', $text, -1, PREG_SPLIT_DELIM_CAPTURE);

        for ($i = 1; $i + 1 < count($parts); $i += 2) {
            $cases[(string) $parts[$i]] = trim((string) $parts[$i + 1], "\n");
        }

        return $cases;
    }
}
