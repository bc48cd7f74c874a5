<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Logs;

use Headroom\Doctor\Logs\FrequencyRow;
use Headroom\Doctor\Logs\FrequencyTable;
use Headroom\Doctor\Logs\SlowLog\SlowLogReader;
use Headroom\Doctor\Logs\SlowLog\SlowLogSummary;
use Headroom\Doctor\Logs\SlowLog\SlowLogVerdict;
use Headroom\Doctor\Logs\SlowLog\WaitPurpose;
use Headroom\Doctor\Logs\SlowLog\WaitReason;
use Headroom\Tests\Support\Snapshot;
use Headroom\Tests\Unit\Doctor\Support\Examined;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class SlowLogReaderTest extends TestCase
{
    private const DATABASE = [
        ['execute', Traces::FRAMEWORK.'Database/Connection.php:430'],
        ['Illuminate\Database\{closure}', Traces::FRAMEWORK.'Database/Connection.php:812'],
        ['runQueryCallback', Traces::FRAMEWORK.'Database/Connection.php:779'],
        ['select', Traces::FRAMEWORK.'Database/Query/Builder.php:2913'],
        ['get', Traces::ROOT.'app/Http/Controllers/VideoController.php:31'],
    ];

    #[Test]
    #[Group('snapshot')]
    public function the_session_that_is_written_to_redis_is_named(): void
    {
        $summary = Traces::read(Traces::session());
        $verdict = SlowLogVerdict::of($summary);

        self::assertNotNull($verdict);
        self::assertSame(
            [WaitReason::Redis, WaitPurpose::SessionWrite, 'phpredis'],
            [$verdict->wait, $verdict->purpose, $verdict->client],
        );
        self::assertSame([1, 1], [$verdict->count, $verdict->traces]);
        Examined::shows(['Redis', 'phpredis', '1', '100 %'], $verdict->sentence());
        Snapshot::assertPrinted('doctor slow log', 'the session is written to Redis', $verdict->sentence());
        Examined::shows(['REDIS_PERSISTENT=true', '11.43', "'persistent' => true", "'database'"], $verdict->next());
        self::assertSame(
            ['hasMacro() Illuminate/Redis/Connections/Connection.php:216'],
            self::names($summary->innermost),
        );
        self::assertSame(
            ['hasMacro() Illuminate/Redis/Connections/Connection.php:216'],
            self::names($summary->vendors),
        );
        self::assertSame(
            ['handle() public/index.php:56'],
            self::names($summary->applications),
            'There is nothing of the application but the entry script.',
        );
        self::assertSame(
            [['www'], ['/srv/shop/current/public/index.php'], ['09']],
            [self::names($summary->pools), self::names($summary->scripts), self::names($summary->hours)],
        );
        self::assertSame(
            ['2026-03-14 09:41:07', 0, 0, 0, 0],
            [$summary->span->first, $summary->cut, $summary->truncated, $summary->failed, $summary->unread->lines()],
        );
    }

    #[Test]
    public function traces_are_counted_by_wait_and_by_place(): void
    {
        $summary = Traces::read(
            Traces::session()
            .Traces::below(self::DATABASE, '14-Mar-2026 10:00:00')
            .Traces::below(self::DATABASE, '13-Mar-2026 10:59:59', 'api')
            .Traces::below([
                ['curl_exec', Traces::ROOT.'app/Payments.php:12'],
                ['charge', Traces::ROOT.'app/Http/Controllers/CartController.php:9'],
            ]),
        );

        self::assertSame(4, $summary->traces);
        self::assertEquals(
            [
                new FrequencyRow('database', 2, 0.5),
                new FrequencyRow('http', 1, 0.25),
                new FrequencyRow('redis', 1, 0.25),
            ],
            $summary->waits->ranking(),
        );
        self::assertSame(['execute()', 'curl_exec()'], self::names($summary->calls));
        self::assertSame(['www', 'api'], self::names($summary->pools));
        self::assertSame(
            ['09', '10'],
            array_map(static fn (FrequencyRow $hour): string => $hour->name, $summary->hours->inOrder()),
        );
        self::assertSame(['2026-03-13 10:59:59', '2026-03-14 10:00:00'], [$summary->span->first, $summary->span->last]);
        self::assertSame(
            'get() app/Http/Controllers/VideoController.php:31',
            $summary->applications->ranking()[0]->name,
        );
        self::assertContains('curl_exec() app/Payments.php:12', self::names($summary->applications));
        $verdict = SlowLogVerdict::of($summary);
        self::assertSame(
            [WaitReason::Database, null, 2, 4],
            [$verdict?->wait, $verdict?->purpose, $verdict?->count, $verdict?->traces],
        );
        Examined::shows(['2', '4', '50.0 %'], (string) $verdict?->sentence());
    }

    /** @return iterable<string, array{string, int, int, int, int}> text, traces, truncated, failed, unread lines */
    public static function broken(): iterable
    {
        $whole = Traces::session();
        $header = "\n[14-Mar-2026 09:41:07]  [pool www] pid 4711\n";
        $script = "script_filename = /srv/shop/current/public/index.php\n";
        $frame = "[0x00007f01c4413b90] sleep() /srv/shop/app/A.php:3\n";

        yield 'nothing' => ['', 0, 0, 0, 0];
        yield 'cut in the last line' => [substr($whole, 0, -3), 0, 1, 0, 0];
        yield 'cut in the script' => [$whole.substr("{$header}{$script}", 0, -5), 1, 1, 0, 0];
        yield 'cut in the header, after its pid' => [$whole.rtrim($header), 1, 1, 0, 0];
        yield 'cut in the header, before its pid' => [$whole.substr($header, 0, 30), 1, 0, 0, 1];
        yield 'no frame' => [$header.$script.$whole, 1, 1, 0, 0];
        yield 'beginning missing, as after a rotation' => [$frame.$frame.$whole, 1, 0, 0, 2];
        yield 'dump failed at once' => ["{$header}+++ dump failed\n{$whole}", 1, 0, 1, 0];
        yield 'dump failed half way' => ["{$header}{$script}{$frame}+++ dump failed\n{$whole}", 1, 0, 1, 0];
        yield 'rubbish between' => ["hello\n{$whole}\x00\xff\xfe\n\n[]\n[0x1] no\n{$whole}", 2, 0, 0, 4];
        yield 'rubbish within' => ["{$header}{$script}{$frame}hello\n{$frame}", 1, 0, 0, 1];
        yield 'no script, as when FPM could not read it' => [$header.$frame, 1, 0, 0, 0];
        yield 'microseconds, as at log_level debug' => [
            str_replace('09:41:07]', '09:41:07.123456]', $whole), 1, 0, 0, 0,
        ];
        yield 'a month that does not exist' => [str_replace('-Mar-', '-Mrz-', $whole), 0, 0, 0, 18];
        yield 'headers without empty lines' => [
            ltrim($header).$script.$frame.ltrim($header).$script.$frame, 2, 0, 0, 0,
        ];
    }

    #[Test]
    #[DataProvider('broken')]
    public function broken_traces_are_counted_and_the_rest_is_read(
        string $text,
        int $traces,
        int $truncated,
        int $failed,
        int $unread,
    ): void {
        $summary = Traces::read($text);

        self::assertSame(
            [$traces, $truncated, $failed, $unread],
            [$summary->traces, $summary->truncated, $summary->failed, $summary->unread->lines()],
        );
    }

    #[Test]
    public function cut_at_any_byte_every_line_is_in_one_of_the_counts(): void
    {
        $first = Traces::session();
        $second = Traces::below(self::DATABASE);

        for ($length = 0; $length <= strlen($second); $length++) {
            $summary = Traces::read($first.substr($second, 0, $length));
            $isWhole = $length === strlen($second);
            $rest = substr($second, 0, $length);

            self::assertGreaterThanOrEqual(1, $summary->traces, "cut after {$length} bytes");
            self::assertLessThanOrEqual(2, $summary->traces + $summary->truncated, "cut after {$length} bytes");
            self::assertSame(1, $summary->waits->count('redis'));
            // Where a frame ends it cannot be told that another one was to follow.
            self::assertSame(
                $isWhole || str_ends_with($rest, "\n") && substr_count($rest, "\n") > 3 ? 1 : 0,
                $summary->traces - 1,
                "cut after {$length} bytes",
            );
            self::assertSame(
                trim($rest) === '' || $summary->traces === 2 ? 0 : 1,
                $summary->truncated + $summary->unread->lines(),
                "cut after {$length} bytes",
            );
        }
    }

    #[Test]
    public function a_trace_that_fpm_cut_at_its_depth_is_noticed(): void
    {
        $deep = array_fill(0, 20, ['handle', Traces::FRAMEWORK.'Pipeline/Pipeline.php:127']);
        $summary = Traces::read(
            Traces::text($deep).Traces::text([...$deep, ['handle', Traces::ROOT.'public/index.php:17']])
                .Traces::text([...$deep, ['shutdown', 'unknown:0']]).Traces::text(array_slice($deep, 0, 3)),
        );

        self::assertSame([4, 1, 20], [$summary->traces, $summary->cut, $summary->depth]);
    }

    #[Test]
    public function a_frame_may_have_any_name_and_any_file(): void
    {
        $summary = Traces::read(
            Traces::text([['{closure:Illuminate\Pipeline\Pipeline::carry():183}', '/srv/a b/c:d.php:7']])
            .Traces::text([['[INCLUDE_OR_EVAL]', '/srv/x.php:1']])
            .Traces::text([['???', 'unknown:0']]),
        );

        self::assertSame(3, $summary->traces);
        self::assertEqualsCanonicalizing(
            [
                '{closure:Illuminate\Pipeline\Pipeline::carry():183}() /srv/a b/c:d.php:7',
                '[INCLUDE_OR_EVAL]() /srv/x.php:1',
                '???() unknown:0',
            ],
            self::names($summary->innermost),
        );
        self::assertSame(0, $summary->unread->lines());
    }

    #[Test]
    public function the_same_code_of_two_releases_is_counted_together(): void
    {
        $summary = Traces::read(
            Traces::below(self::DATABASE).str_replace('/releases/31/', '/releases/32/', Traces::below(self::DATABASE)),
        );

        self::assertSame(
            [2, 2],
            [$summary->applications->ranking()[0]->count, $summary->innermost->ranking()[0]->count],
        );
    }

    #[Test]
    public function memory_does_not_grow_with_names_nor_with_frames(): void
    {
        $lines = (static function (): iterable {
            for ($trace = 0; $trace < 3_000; $trace++) {
                yield '';
                yield "[14-Mar-2026 09:41:07]  [pool pool{$trace}] pid 4711";
                yield 'script_filename = /srv/'.$trace.str_repeat('x', 2_000).'.php';

                for ($frame = 0; $frame < 20; $frame++) {
                    yield "[0x00007f01c4413b90] f{$trace}_{$frame}() /srv/".str_repeat('y', 350)
                        ."{$trace}/{$frame}.php:3";
                }
            }

            yield '[14-Mar-2026 09:41:07]  [pool www] pid 4711';

            for ($frame = 0; $frame < 50_000; $frame++) {
                yield "[0x00007f01c4413b90] f() /srv/{$frame}".str_repeat('z', 2_000).'.php:3';
            }
        })();
        $summary = new SlowLogSummary;
        $log = new SlowLogReader($summary);
        gc_collect_cycles();
        memory_reset_peak_usage();
        $before = memory_get_usage();
        $log->read($lines);
        $log->end(false);

        self::assertSame(3_001, $summary->traces);
        self::assertLessThan(24_000_000, memory_get_peak_usage() - $before);
    }

    /** @return list<string> */
    private static function names(FrequencyTable $tally): array
    {
        return array_map(static fn (FrequencyRow $one): string => $one->name, $tally->ranking());
    }
}
