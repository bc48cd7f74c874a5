<?php

declare(strict_types=1);

namespace Headroom\Collector\Server\Metrics;

use Headroom\Support\RegularFile;

use function fclose;
use function flock;
use function fread;
use function fseek;
use function fwrite;
use function getmypid;
use function intdiv;
use function is_array;
use function is_dir;
use function is_int;
use function json_decode;
use function json_encode;
use function str_pad;
use function strlen;
use function strstr;

/**
 * Counters of requests that the web server's PHP processes serve. Such a process does not hold numbers between
 * requests, so each request adds its own to one of a few files: the first unlocked one, starting at a number from its
 * pid. The files outlive the processes, and no counter decreases.
 *
 * A file is written in place with one write of its full size, so a full disk or a killed
 * process leaves the old numbers.
 *
 * @internal
 */
final readonly class SapiCounters
{
    /** Below the collector's state directory. A published file of an older version writes there too. */
    public const DIRECTORY = 'lane';

    private const FILES = 32;

    private const BYTES = 4_096;

    private const MAX_BYTES = 8_192;

    public function __construct(
        private string $directory,
        private int $directoryMode = 0700,
        private int $fileMode = 0600,
    ) {}

    /** @param array<string, int> $numbers by series; lost if no file can be written */
    public function add(array $numbers): void
    {
        $first = (int) getmypid();

        for ($number = 0; $number < self::FILES; $number++) {
            $file = $this->opened($this->directory.'/'.(($first + $number) % self::FILES).'.json');

            if ($file === false) {
                return;
            }

            if (flock($file, LOCK_EX | LOCK_NB)) {
                $all = self::numbers((string) fread($file, self::MAX_BYTES));

                foreach ($numbers as $series => $by) {
                    $all[$series] = ($all[$series] ?? 0) + $by;
                }

                $text = json_encode($all)."\n";
                fseek($file, 0);
                @fwrite($file, str_pad($text, self::BYTES * (intdiv(strlen($text), self::BYTES) + 1)));
                fclose($file);

                return;
            }

            fclose($file);
        }
    }

    /** @return array<string, int> by series */
    public function sum(): array
    {
        $sum = [];

        for ($number = 0; $number < self::FILES; $number++) {
            $file = RegularFile::open("{$this->directory}/{$number}.json", 're');

            if ($file !== false) {
                // Waits for at most one write.
                flock($file, LOCK_SH);

                foreach (self::numbers((string) fread($file, self::MAX_BYTES)) as $series => $count) {
                    $sum[$series] = ($sum[$series] ?? 0) + $count;
                }

                fclose($file);
            }
        }

        return $sum;
    }

    /** @return resource|false */
    private function opened(string $path)
    {
        $file = RegularFile::open($path, 'r+e');

        if ($file !== false || RegularFile::exists($path)) {
            return $file;
        }

        if (! is_dir($this->directory)) {
            @mkdir($this->directory, $this->directoryMode, true);
            @chmod($this->directory, $this->directoryMode);
        }

        $reason = '';

        return RegularFile::open($path, 'c+e', $reason, $this->fileMode);
    }

    /** @return array<string, int> */
    private static function numbers(string $text): array
    {
        // Padding follows the line, and json_decode() would scan it.
        $read = json_decode((string) strstr($text, "\n", true), true);
        $numbers = [];

        foreach (is_array($read) ? $read : [] as $series => $number) {
            if (is_int($number)) {
                $numbers[(string) $series] = $number;
            }
        }

        return $numbers;
    }
}
