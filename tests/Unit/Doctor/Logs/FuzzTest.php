<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Logs;

use Headroom\Doctor\Logs\ErrorLog\ErrorLogReader;
use Headroom\Doctor\Logs\ErrorLog\ErrorLogSummary;
use Headroom\Doctor\Logs\SlowLog\SlowLogReader;
use Headroom\Doctor\Logs\SlowLog\SlowLogSummary;
use Headroom\Doctor\Logs\SlowLog\SlowLogVerdict;
use Headroom\Host\AccessLog\AccessLogReader;
use Headroom\Host\Log\Envelope\Envelope;
use Headroom\Host\Log\LineReader;
use Headroom\Host\Log\LogLines;
use Headroom\Tests\Unit\Host\Log\Envelope\Envelopes;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * Each line of any file is read, or counted as one that could not be read.
 */
final class FuzzTest extends TestCase
{
    private const ROUNDS = 400;

    private const ERRORS = '2026/03/14 09:41:07 [error] 2371#2371: *114153 upstream timed out (110:'
        .' Connection timed out) while reading response header from upstream, client: 203.0.113.9, server: shop.test,'
        .' request: "GET /videos?page=2 HTTP/1.1", upstream: "fastcgi://unix:/run/php/fpm.sock:", host:'
        ." \"shop.test\"\n[14-Mar-2026 09:41:08] WARNING: [pool www] child 8, script '/a.php' (request:"
        ." \"GET /index.php?x=1\") executing too slow (2.1 sec), logging\n[14-Mar-2026 09:41:08] WARNING:"
        ." [pool www] child 8 exited on signal 11 (SIGSEGV) after 4.2 seconds from start\n[14-Mar-2026 09:41:07 UTC]"
        ." PHP Warning:  x\n";

    private const ACCESS = '203.0.113.9 - bob [14/Mar/2026:09:41:07 +0100] "GET /a?b=\\x22 HTTP/1.1" 200 512 "-"'
        ." \"say \\\"hi\\\"\" rt=0.012 urt=\"0.010, 0.001\"\n";

    #[Test]
    public function slow_logs_with_bytes_changed_cut_and_joined(): void
    {
        $this->fuzz(Traces::session().Traces::below([['curl_exec', Traces::ROOT.'app/A.php:3']]), static function (
            iterable $lines,
            LineReader $reader,
        ): int {
            $summary = new SlowLogSummary;
            $log = new SlowLogReader($summary);
            $log->read($lines);
            $log->end($reader->isCut());
            SlowLogVerdict::of($summary)?->sentence();
            self::assertSame($summary->traces, $summary->waits->total());

            return 0;
        });
    }

    #[Test]
    public function error_logs_with_bytes_changed_cut_and_joined(): void
    {
        $this->fuzz(self::ERRORS, static function (iterable $lines): int {
            $summary = new ErrorLogSummary;
            $log = new ErrorLogReader($summary);
            $count = 0;
            $log->read((static function () use ($lines, &$count): iterable {
                foreach ($lines as $line) {
                    $count += $line === '' ? 0 : 1;

                    yield $line;
                }
            })());
            self::assertSame(
                $count,
                $summary->entries() + $summary->continued + $summary->accessLines + $summary->unread->lines(),
            );

            return 0;
        });
    }

    #[Test]
    public function access_logs_with_bytes_changed_cut_and_joined(): void
    {
        $this->fuzz(str_repeat(self::ACCESS, 5), static function (iterable $lines): int {
            $count = 0;

            foreach ((new AccessLogReader)->entries((static function () use ($lines, &$count): iterable {
                foreach ($lines as $line) {
                    $count++;

                    yield $line;
                }
            })()) as $entry) {
                $count--;
            }

            self::assertSame(0, $count);

            return $count;
        });
    }

    #[Test]
    public function error_logs_in_envelopes_with_bytes_changed_cut_and_joined(): void
    {
        $lines = array_map(static fn (string $line): array => ['php', $line], explode("\n", rtrim(self::ERRORS, "\n")));

        foreach ((new Envelopes(4711))->around($lines) as $file) {
            $this->fuzz($file, static function (iterable $lines): int {
                $lines = LogLines::of((static function () use ($lines): iterable {
                    foreach ($lines as $line) {
                        yield "{$line}\n";
                    }
                })());
                $summary = new ErrorLogSummary;
                $count = 0;

                foreach ($lines->unwrapped() as $line) {
                    $count += $line->text === '' ? 0 : 1;
                    $summary->reader()->read([$line->text], $line->time);
                }

                self::assertSame(
                    $count,
                    $summary->entries() + $summary->continued + $summary->accessLines + $summary->unread->lines(),
                );

                return 0;
            }, 30);
        }
    }

    #[Test]
    public function no_line_takes_long_however_it_repeats_itself(): void
    {
        $start = hrtime(true);

        foreach ([' in a', ' error: ', ' at /a', 'Uncaught ', ' failed (1: (', '[x "', '" while ', 'Allowed memory '
            .'size of ', '{"log":', "\e[", '10/Oct/2025:', 'PHP message: ', '<b>', '[a]['] as $part) {
            $long = substr(str_repeat($part, 20_000), 0, LineReader::LONGEST);

            foreach (['', 'PHP Fatal error:  ', '2026/03/14 09:41:07 [error] 1#1: *1 ', '2026/03/14 09:41:07 [error] '
                .'1#1: *1 FastCGI sent in stderr: "', '[14-Mar-2026 09:41:07] WARNING: [pool www] child 8 said into '
                    .'stderr: "', '<34>1 - a b c d [x@1 '] as $begin) {
                (new ErrorLogSummary)->reader()->read([$begin.$long]);
                Envelope::of([$begin.$long]);
            }
        }

        // A pattern that backtracks takes minutes.
        self::assertLessThan(30, (hrtime(true) - $start) / 1e9);
    }

    #[Test]
    public function a_sample_cut_at_each_byte(): void
    {
        foreach ([self::ERRORS, self::ACCESS] as $sample) {
            for ($length = 0; $length <= strlen($sample); $length++) {
                $lines = (new LineReader)->lines([substr($sample, 0, $length)]);
                $lines = is_array($lines) ? $lines : iterator_to_array($lines, false);
                $summary = new ErrorLogSummary;
                (new ErrorLogReader($summary))->read($lines);
                $entries = 0;

                foreach ((new AccessLogReader)->entries($lines) as $entry) {
                    $entries++;
                }

                self::assertSame(count($lines), $entries);
                self::assertSame(
                    count($lines),
                    $summary->entries() + $summary->continued + $summary->accessLines + $summary->unread->lines(),
                );
            }
        }
    }

    /** @param callable(iterable<string>, LineReader): int $read */
    private function fuzz(string $sample, callable $read, int $rounds = self::ROUNDS): void
    {
        $random = new Randomizer(new Mt19937(4711));

        for ($round = 0; $round < $rounds; $round++) {
            $text = $sample;

            for ($change = $random->getInt(0, 12); $change > 0; $change--) {
                $at = $random->getInt(0, strlen($text));
                $text = match ($random->getInt(0, 3)) {
                    0 => substr_replace($text, $random->getBytes($random->getInt(1, 20)), $at, $random->getInt(0, 20)),
                    1 => substr_replace($text, "\n", $at, 0),
                    2 => substr($text, 0, $at).substr($text, $random->getInt(0, strlen($text))),
                    default => substr_replace(
                        $text,
                        str_repeat($random->getBytes(1), $random->getInt(1, 70_000)),
                        $at,
                        0,
                    ),
                };
            }

            $reader = new LineReader;
            $read($reader->lines($text === '' ? [] : str_split($text, $random->getInt(1, 5_000))), $reader);
        }
    }
}
