<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\UnderLoad;

use Headroom\Doctor\Report;
use Headroom\Doctor\Severity;
use Headroom\Doctor\UnderLoad\Bottleneck;
use Headroom\Doctor\UnderLoad\Causes\CauseList;
use Headroom\Doctor\UnderLoad\LoadDiagnosis;
use Headroom\Doctor\UnderLoad\LoadTraffic;
use Headroom\Doctor\UnderLoad\Recording;
use Headroom\Doctor\UnderLoad\Waits\WaitKind;
use Headroom\Tests\Support\Snapshot;
use Headroom\Tests\Unit\Doctor\Support\Examined;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Each cause on a recording that speaks for it, on one that nearly does, and on one that lacks the facts.
 */
final class CausesTest extends TestCase
{
    /** @return iterable<string, array{Bottleneck, Recordings}> */
    public static function recordings(): iterable
    {
        $busy = Recordings::busy();
        $redis = $busy->forRedis(38)->doing(2, WaitKind::Working);
        $database = $busy->forTheDatabase(38)->doing(2, WaitKind::Working);

        yield 'two connections to Redis for each request' => [Bottleneck::RedisConnections, $redis->redis(200, 800)];
        yield 'the one of two that has the address' => [
            Bottleneck::RedisConnections, $redis->redis(200, 800)->besideAnotherRedis(),
        ];
        yield 'a connection for every third request is not it' => [Bottleneck::RedisReplies, $redis->redis(33, 800)];
        yield 'Redis that does not tell how many' => [Bottleneck::RedisReplies, $redis];
        yield 'Redis that is in a command' => [Bottleneck::RedisReplies, $redis->redis(100, 300, 900_000)];
        yield 'Redis in a command a little' => [Bottleneck::RedisConnections, $redis->redis(100, 300, 300_000)];
        yield 'a command that waits' => [Bottleneck::RedisReplies, $redis->redis(100, 300, 0, 36)];
        yield 'fifty commands for each connection' => [Bottleneck::RedisReplies, $redis->redis(100, 5_000)];
        yield 'fifty commands, and processes in connect()' => [
            Bottleneck::RedisConnections, $busy->forRedis(38, WaitKind::Connecting)->redis(100, 5_000),
        ];
        yield 'a third of the time for Redis is not it' => [
            Bottleneck::Unclear, $busy->forRedis(13)->doing(27, WaitKind::Unknown)->redis(200, 800),
        ];

        yield 'some processes that could not be seen' => [
            Bottleneck::RedisConnections,
            $busy->forRedis(19)->doing(7, WaitKind::Sleeping)->doing(14, WaitKind::Unknown)->redis(200, 800),
        ];
        yield 'most of them could not be seen' => [
            Bottleneck::Unclear, $busy->forRedis(19)->doing(21, WaitKind::Unknown)->redis(200, 800),
        ];
        yield 'most of them could not be seen, and no request is slow' => [
            Bottleneck::Unclear,
            $busy->forRedis(19)->doing(21, WaitKind::Unknown)->redis(200, 800)->queue(0)->traffic(Recordings::quick()),
        ];
        yield 'a third could not be seen, the others compute, and no request is slow' => [
            Bottleneck::Nothing,
            $busy->doing(27, WaitKind::Working)->doing(13, WaitKind::Unknown)->queue(0)->traffic(Recordings::quick()),
        ];
        yield 'a quarter could not be seen, a fifth waits, and no request is slow' => [
            Bottleneck::Unclear,
            $busy->forRedis(9)
                ->doing(20, WaitKind::Working)
                ->doing(11, WaitKind::Unknown)
                ->redis(200, 800)
                ->queue(0)
                ->traffic(Recordings::quick()),
        ];
        yield 'half of them could not be seen, for a millisecond in each request' => [
            Bottleneck::Nothing,
            $busy->doing(20, WaitKind::Working)
                ->doing(20, WaitKind::Unknown)
                ->queue(0)
                ->traffic(new LoadTraffic(200_000, 0, 0, [200 => 200_000], 2.0, 2.0, 6.0, 20_000.0)),
        ];
        yield 'a tenth of them could not be seen, and no request is slow' => [
            Bottleneck::Nothing,
            $busy->forRedis(12)
                ->doing(24, WaitKind::Working)
                ->doing(4, WaitKind::Unknown)
                ->redis(200, 800)
                ->queue(0)
                ->traffic(Recordings::quick()),
        ];
        yield 'a third of those that could be seen' => [
            Bottleneck::Sleeping,
            $busy->forRedis(10)->doing(20, WaitKind::Sleeping)->doing(10, WaitKind::Unknown)->redis(200, 800),
        ];

        yield 'locks of rows' => [Bottleneck::DatabaseLocks, $database->database(100, 300, 38, 35)];
        yield 'some locks are not it' => [Bottleneck::DatabaseReplies, $database->database(0, 300, 38, 10)];
        yield 'statements that take their time' => [Bottleneck::DatabaseReplies, $database->database(100, 300, 37)];
        yield 'a SQL server that is not asked' => [Bottleneck::DatabaseReplies, $database];
        yield 'a connection and one statement, far away' => [
            Bottleneck::DatabaseConnections, $database->database(100, 100, 1),
        ];
        yield 'a connection and twenty statements, far away' => [
            Bottleneck::DatabaseReplies, $database->database(100, 2_000, 1),
        ];

        $kept = $busy->doing(40, WaitKind::Client);
        yield 'kept connections' => [Bottleneck::KeptConnections, $kept];
        yield 'kept connections without a queue' => [
            Bottleneck::Nothing, $kept->queue(0)->traffic(Recordings::quick()),
        ];
        yield 'some starve beside quick answers' => [
            Bottleneck::KeptConnections,
            $busy->doing(40, WaitKind::Working)
                ->traffic(new LoadTraffic(4_000, 200, 200, [200 => 3_800], 400.0, 5.0, 8_000.0, 400.0)),
        ];
        yield 'some are slow beside quick answers, and nothing is kept' => [
            Bottleneck::Sleeping,
            $busy->doing(40, WaitKind::Sleeping)
                ->keepsNone()
                ->traffic(new LoadTraffic(4_000, 200, 200, [200 => 3_800], 400.0, 5.0, 8_000.0, 400.0)),
        ];
        yield 'all are slow, and some are given up' => [
            Bottleneck::Sleeping,
            $busy->doing(40, WaitKind::Sleeping)
                ->traffic(new LoadTraffic(4_000, 200, 200, [200 => 3_800], 5_000.0, 5_000.0, 8_000.0, 400.0)),
        ];

        yield 'files' => [Bottleneck::FileLocks, $busy->doing(38, WaitKind::FileLock)->doing(2, WaitKind::Sleeping)];
        yield 'a disk' => [Bottleneck::Disk, $busy->doing(38, WaitKind::Disk)];
        yield 'another server' => [Bottleneck::OutgoingCalls, $busy->doing(38, WaitKind::Reply, '203.0.113.9:443')];
        yield 'a name server' => [Bottleneck::OutgoingCalls, $busy->doing(38, WaitKind::Resolving, '127.0.0.53:53')];
        yield 'sleep' => [Bottleneck::Sleeping, $busy->doing(38, WaitKind::Sleeping)];
        yield 'sleep while processes are free' => [
            Bottleneck::Nothing,
            $busy->doing(10, WaitKind::Sleeping)->doing(30, WaitKind::Idle)->queue(0)->traffic(Recordings::quick()),
        ];
    }

    /** @return iterable<string, array{Bottleneck, Recordings}> */
    public static function others(): iterable
    {
        $busy = Recordings::busy();
        $redis = $busy->forRedis(38)->doing(2, WaitKind::Working);

        yield 'full CPUs' => [Bottleneck::CpuFull, $busy->doing(40, WaitKind::Working)->idle(0.02)];
        $crowd = $busy->doing(26, WaitKind::KernelLock)->doing(8, WaitKind::FileLock)->doing(6, WaitKind::Working);
        yield 'full CPUs, and most wait for the lock of a directory' => [Bottleneck::CpuFull, $crowd->idle(0.004)];
        yield 'full CPUs and a crowd without slow requests' => [
            Bottleneck::Nothing, $crowd->idle(0.004)->traffic(Recordings::quick()),
        ];
        yield 'locks in the kernel on CPUs with time' => [Bottleneck::KernelLocks, $crowd->idle(0.5)];
        yield 'full CPUs, and a third could be looked into' => [
            Bottleneck::CpuFull, $busy->doing(27, WaitKind::Unknown)->doing(13, WaitKind::Sleeping)->idle(0.02),
        ];
        yield 'full CPUs without slow requests' => [
            Bottleneck::Nothing, $busy->doing(40, WaitKind::Working)->idle(0.02)->traffic(Recordings::quick()),
        ];
        yield 'CPUs that cannot be read' => [Bottleneck::Unclear, $busy->doing(40, WaitKind::Working)->idle(null)];
        yield 'full CPUs beside processes that wait' => [
            Bottleneck::RedisConnections, $redis->redis(200, 800)->idle(0.02),
        ];
        yield 'a quota' => [Bottleneck::CpuQuota, $busy->doing(40, WaitKind::Working)->kernel(0, 10, 9)];
        yield 'a quota, while others fill the CPUs' => [
            Bottleneck::CpuQuota, $busy->doing(40, WaitKind::Working)->kernel(0, 10, 9)->idle(0.02),
        ];
        yield 'a quota that holds now and then, and full CPUs' => [
            Bottleneck::CpuFull, $busy->doing(40, WaitKind::Working)->kernel(0, 10, 3)->idle(0.02),
        ];
        yield 'a quota that holds hardly' => [
            Bottleneck::PoolTooSmall, $busy->doing(40, WaitKind::Working)->kernel(0, 10, 1),
        ];

        $mixed = $busy->forRedis(14)->forTheDatabase(13)->doing(13, WaitKind::Disk);
        yield 'no one thing' => [Bottleneck::PoolTooSmall, $mixed];
        yield 'no one thing, and no queue' => [Bottleneck::Unclear, $mixed->queue(0)];

        $refused = new LoadTraffic(1_000, 300, 0, [200 => 700, 502 => 300], 900.0, 850.0, 1_500.0, 100.0);
        yield 'a queue that overflows' => [Bottleneck::BacklogOverflow, $mixed->queue(16, 16)->traffic($refused)];
        yield '502 without a full queue' => [Bottleneck::PoolTooSmall, $mixed->queue(10, 16)->traffic($refused)];
        yield 'TCP connections that are lost' => [Bottleneck::BacklogOverflow, $mixed->kernel(20)];

        yield 'errors of its own' => [
            Bottleneck::ApplicationErrors,
            $redis->redis(200, 800)
                ->traffic(new LoadTraffic(1_000, 900, 0, [200 => 100, 500 => 900], 900.0, 850.0, 1_500.0, 100.0)),
        ];
        yield 'a few errors beside a bottleneck' => [
            Bottleneck::RedisConnections,
            $redis->redis(200, 800)
                ->traffic(new LoadTraffic(1_000, 50, 0, [200 => 950, 500 => 50], 900.0, 850.0, 1_500.0, 100.0)),
        ];
        yield '504 are no errors of its own' => [
            Bottleneck::RedisConnections,
            $redis->redis(200, 800)
                ->traffic(new LoadTraffic(1_000, 900, 0, [200 => 100, 504 => 900], 900.0, 850.0, 1_500.0, 100.0)),
        ];
        yield 'the client' => [
            Bottleneck::ClientLimit,
            $busy->doing(40, WaitKind::Idle)
                ->queue(0)
                ->traffic(
                    new LoadTraffic(90_000, 0, 0, [200 => 90_000], 2.0, 2.0, 5.0, 9_000.0, 0.97, limits: ['cpu']),
                ),
        ];
        yield 'a busy client before a server that waits' => [
            Bottleneck::RedisConnections,
            $redis->redis(
                200,
                800,
            )->traffic(
                new LoadTraffic(1_000, 0, 0, [200 => 1_000], 900.0, 850.0, 1_500.0, 100.0, 0.97, limits: ['cpu']),
            ),
        ];

        yield 'processes without the right to look at them' => [Bottleneck::Unclear, $busy->unseen()->idle(null)];
        yield 'processes with hidden waits' => [Bottleneck::Unclear, $busy->doing(40, WaitKind::Unknown)];
        yield 'nothing was answered, and nothing seen' => [
            Bottleneck::Unclear, $busy->unseen()->idle(null)->traffic(new LoadTraffic),
        ];
        yield 'no answers, on a busy machine' => [
            Bottleneck::Unclear,
            $busy->doing(40, WaitKind::Working)->idle(0.01)->traffic(new LoadTraffic(1_000, 1_000)),
        ];
        yield 'real traffic that waits' => [Bottleneck::RedisReplies, $redis->redis(200, 800)->traffic(null)];
        yield 'real traffic that does not' => [
            Bottleneck::Nothing, $busy->doing(4, WaitKind::Working)->doing(36, WaitKind::Idle)->queue(0)->traffic(null),
        ];
    }

    #[Test]
    #[DataProvider('recordings')]
    #[DataProvider('others')]
    public function the_recording_supports_the_cause(Bottleneck $bottleneck, Recordings $recordings): void
    {
        $live = $recordings->diagnosis();

        self::assertSame($bottleneck, $live->cause->bottleneck, $live->cause->sentence);
        self::assertSame(
            $bottleneck === Bottleneck::Nothing || $bottleneck === Bottleneck::ClientLimit,
            $live->cause->severity === Severity::Info,
        );
        self::assertNotSame('', $live->cause->next);
    }

    #[Test]
    public function it_says_when_not_all_was_seen(): void
    {
        $confidence = static function (Recordings $recordings): mixed {
            $cause = $recordings->diagnosis()->document(new Report([]))['cause'];

            return is_array($cause) ? $cause['confidence'] : null;
        };
        $busy = Recordings::busy();

        $whole = $confidence($busy->forRedis(40)->redis(200, 800));
        $partly = $confidence($busy->forRedis(19)->doing(21, WaitKind::Unknown)->redis(200, 800));
        $quick = $busy->doing(2, WaitKind::Working)
            ->doing(3, WaitKind::Unknown)
            ->doing(35, WaitKind::Idle)
            ->queue(0)
            ->traffic(Recordings::quick());

        self::assertNotSame($whole, $partly);
        self::assertSame($whole, $confidence($busy->forRedis(36)->doing(4, WaitKind::Unknown)->redis(200, 800)));
        self::assertSame($partly, $confidence($busy->forRedis(35)->doing(5, WaitKind::Unknown)->redis(200, 800)));
        self::assertSame($partly, $confidence($quick));
    }

    /** @return iterable<string, array{list<string>, Recordings}> what the sentence names */
    public static function sentences(): iterable
    {
        $busy = Recordings::busy();

        yield 'Redis' => [
            ['10.0.0.5:6379', '38', '40', '2.0', '80 %'],
            $busy->forRedis(38)->doing(2, WaitKind::Working)->redis(200, 800),
        ];
        yield 'some that could not be seen' => [
            ['20', '30', 'sleep()', 'usleep()', '80 %'],
            $busy->forRedis(10)->doing(20, WaitKind::Sleeping)->doing(10, WaitKind::Unknown),
        ];
        yield 'connections that were lost' => [
            ['20', '0.0 %', '502'], $busy->forRedis(14)->forTheDatabase(13)->doing(13, WaitKind::Disk)->kernel(2),
        ];
        yield 'locks' => [
            ['MariaDB', '10.0.0.7:3306', '38', '40', '35', '80 %'],
            $busy->forTheDatabase(38)->database(100, 300, 38, 35),
        ];
        yield 'CPUs' => [['98 %', 'php-fpm', '88 %'], $busy->doing(40, WaitKind::Working)->idle(0.02)];
        yield 'another server' => [
            ['203.0.113.9:443', '40', '80 %'], $busy->doing(40, WaitKind::Reply, '203.0.113.9:443'),
        ];
        yield 'what was not seen' => [
            ['21.0', '40.0'],
            $busy->forRedis(19)->doing(21, WaitKind::Unknown)->queue(0)->traffic(Recordings::quick()),
        ];
        yield 'nothing' => [
            ['2000', '95 %', '30 ms', '0.0 %'],
            $busy->doing(4, WaitKind::Working)->doing(36, WaitKind::Idle)->queue(0)->traffic(Recordings::quick()),
        ];
    }

    /** @param list<string> $shown */
    #[Test]
    #[DataProvider('sentences')]
    public function one_sentence_says_where_and_why(array $shown, Recordings $recordings): void
    {
        Examined::shows($shown, $recordings->diagnosis()->cause->sentence);
    }

    #[Test]
    #[Group('snapshot')]
    public function each_cause_has_its_sentence(): void
    {
        $words = '';

        foreach (self::sentences() as $name => [, $recordings]) {
            $words .= "{$name}: ".$recordings->diagnosis()->cause->sentence."\n";
        }

        $words .= 'no recording: '.LoadDiagnosis::of(new Recording([], []), CauseList::all(), 1.0)->cause->sentence;
        Snapshot::assertPrinted('doctor live', 'causes', $words);
    }

    #[Test]
    public function a_figure_without_a_number_of_requests_is_left_out(): void
    {
        $live = Recordings::busy()->forRedis(38)->redis(200, 800)->traffic(null)->diagnosis();

        $values = implode("\n", array_column($live->cause->evidence, 'value'));
        // Commands for each request are not told, as the number of requests is not known.
        self::assertMatchesRegularExpression('/^7200\b.*\b9\.0 s$/m', $values);
    }

    #[Test]
    public function other_causes_are_kept_beside_the_first(): void
    {
        $live = Recordings::busy()->forRedis(38)->redis(200, 800)->queue(16, 16)->traffic(
            new LoadTraffic(1_000, 300, 0, [200 => 700, 502 => 300], 900.0, 850.0, 1_500.0, 100.0),
        )->diagnosis();

        self::assertSame(Bottleneck::RedisConnections, $live->cause->bottleneck);
        // And not that they wait for the answers of Redis, which is the same once more.
        self::assertSame([Bottleneck::BacklogOverflow], array_column($live->others, 'bottleneck'));
    }

    #[Test]
    public function a_recording_of_nothing_is_unclear_and_no_error(): void
    {
        self::assertSame(
            Bottleneck::Unclear,
            LoadDiagnosis::of(new Recording([], []), CauseList::all(), 1.0)->cause->bottleneck,
        );
        self::assertSame(
            Bottleneck::Unclear,
            LoadDiagnosis::of(
                new Recording([], (Recordings::busy()->unseen()->recording())->during, new LoadTraffic),
                CauseList::all(),
                1.0,
            )->cause->bottleneck,
        );
    }
}
