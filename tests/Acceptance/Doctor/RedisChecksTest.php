<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Redis\RedisAddress;
use Headroom\Doctor\Redis\RedisProbe;
use Headroom\Doctor\Redis\RedisServers;
use Headroom\Doctor\Redis\RedisWindow;
use Headroom\Doctor\Report;
use Headroom\Doctor\Runner\CheckRunner;
use Headroom\Doctor\Status;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Doctor\Planted\PlantedRedis;
use Headroom\Tests\Support\CpuShare;
use Headroom\Tests\Support\Redis\RedisServer;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Unit\Doctor\Support\Checks;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * Faults planted in a real Redis: each is found, and gone once the commands of its fix have run as they stand there.
 */
#[Group('quiet')]
final class RedisChecksTest extends TestCase
{
    /** Has a Redis busy for as long as it runs. */
    public const BUSY = '$s = stream_socket_client("tcp://127.0.0.1:$argv[1]"); $words = ["EVAL", "local n = 0 for i ='
        .' 1, 1000000 do n = n + i end return n", "0"]; $ask = "*3\r\n".implode("", array_map(fn ($w) =>'
        .' "$".strlen($w)."\r\n$w\r\n", $words)); fwrite($s, $ask.$ask.$ask.$ask); while (fgets($s) !== false) {'
        .' fwrite($s, $ask); }';

    private const IDS = ['R3', 'R6', 'R7', 'R8', 'R9'];

    #[Test]
    public function a_redis_that_is_well_gives_no_alarm(): void
    {
        $redis = RedisServer::start(['latency-monitor-threshold' => 100, 'slowlog-log-slower-than' => -1]);

        self::assertSame(array_fill_keys(self::IDS, Status::Pass), self::statuses(self::examined($redis)));
    }

    /** @return iterable<string, array{string, array<string, string|int>, list<list<string|int>>}> */
    public static function faults(): iterable
    {
        yield 'clients fill it' => ['R3', ['maxclients' => 12], [['hold', 10]]];
        yield 'clients were turned away' => ['R3', ['maxclients' => 8], [['hold', 20], ['let go']]];
        yield 'KEYS' => ['R6', [], [['KEYS', '*']]];
        yield 'a slow command' => [
            'R6',
            [],
            [['EVAL', 'local n = 0 for i = 1, 30000000 do n = n + i end return n', 0]],
        ];
        yield 'no latency monitor' => ['R7', ['latency-monitor-threshold' => 0], []];
        yield 'it may evict' => ['R8', ['maxmemory' => '64mb', 'maxmemory-policy' => 'volatile-lru'], []];
        yield 'it has evicted' => [
            'R8',
            ['maxmemory' => '2mb', 'maxmemory-policy' => 'allkeys-lru'],
            array_map(static fn (int $key): array => ['SET', "key-{$key}", str_repeat('x', 8_000)], range(1, 400)),
        ];
        yield 'always on disk' => ['R9', ['appendonly' => 'yes', 'appendfsync' => 'always'], []];
    }

    /**
     * @param array<string, string|int> $options
     * @param list<list<string|int>> $commands
     */
    #[Test, Group('day-1')]
    #[DataProvider('faults')]
    public function a_planted_fault_is_found_and_its_fix_removes_it(string $id, array $options, array $commands): void
    {
        $planted = PlantedRedis::with($options, $commands, $id === 'R6');
        $redis = $planted->server;

        // Redis notices a closed connection late, and rejects the doctor until then.
        for ($look = 0; $look < 100 && self::examined($redis)->count(Status::Unknown) > 0; $look++) {
            usleep(50_000);
        }

        $problems = self::examined($redis)->problems();
        self::assertSame([$id], array_map(static fn (CheckResult $verdict): string => $verdict->check->id, $problems));

        foreach ($problems[0]->finding->fix->commands ?? [] as $line) {
            // This Redis has no systemd unit, so the commands for the unit are left out.
            if (preg_match('/\A(?:redis|valkey)-cli /', $line) === 1) {
                Process::fromShellCommandline($line)->mustRun();
            }
        }

        self::assertSame([], self::examined($redis)->problems());
        unset($planted);
    }

    /** @return iterable<string, array{array<string, string|int>, list<list<string|int>>}> */
    public static function nearMisses(): iterable
    {
        yield 'full of clients, but for a fifth' => [['maxclients' => 20], [['hold', 12]]];
        yield 'memory has an end, and nothing is evicted' => [
            ['maxmemory' => '64mb', 'maxmemory-policy' => 'noeviction'],
            [],
        ];
        yield 'a policy that evicts, and memory without an end' => [['maxmemory-policy' => 'allkeys-lru'], []];
        yield 'SCAN in place of KEYS' => [[], [['SCAN', '0']]];
    }

    /**
     * @param array<string, string|int> $options
     * @param list<list<string|int>> $commands
     */
    #[Test]
    #[DataProvider('nearMisses')]
    public function a_near_miss_gives_no_alarm(array $options, array $commands): void
    {
        self::assertSame([], self::examined(PlantedRedis::with($options, $commands, false)->server)->problems());
    }

    #[Test]
    public function a_server_that_cannot_be_asked_is_unknown_and_stops_no_other(): void
    {
        $well = RedisServer::start(['latency-monitor-threshold' => 100]);
        $locked = RedisServer::start(['requirepass' => 'right', 'latency-monitor-threshold' => 100]);
        $quiet = RedisServer::start(['rename-command' => 'CONFIG renamed']);
        $servers = (new RedisProbe([
            new RedisAddress("tcp://127.0.0.1:{$well->port}", uses: ['session']),
            new RedisAddress('tcp://127.0.0.1:1', uses: ['session']),
            new RedisAddress("tcp://127.0.0.1:{$locked->port}", 'wrong', uses: ['session']),
            new RedisAddress("tcp://127.0.0.1:{$locked->port}", 'right', uses: ['session']),
            new RedisAddress("tcp://127.0.0.1:{$quiet->port}", uses: ['session']),
        ]))->facts();
        $diagnosis = (new CheckRunner(Checks::only('R7')))->run(
            new Facts([RedisServers::class => static fn (): RedisServers => $servers]),
        );
        $said = implode(
            "\n",
            array_map(static fn (CheckResult $verdict): string => $verdict->finding->message, $diagnosis->results),
        );

        self::assertEquals(
            ['pass' => 2, 'unknown' => 3],
            array_count_values(array_map(
                static fn (CheckResult $verdict): string => $verdict->finding->status->value,
                $diagnosis->results,
            )),
        );
        Sentence::assertNames(['tcp://127.0.0.1:1'], $said);
        self::assertMatchesRegularExpression('/\bAUTH\b.*\bWRONGPASS\b/', $said);
        self::assertStringNotContainsString('wrong', str_replace('WRONGPASS', '', $said));
        Sentence::assertNames(['latency-monitor-threshold'], $said);
    }

    #[Test, Group('day-3')]
    public function a_redis_whose_thread_is_busy_is_found_and_one_that_waits_is_not(): void
    {
        $redis = RedisServer::start();
        self::assertSame([], self::watched('R10', $redis)->problems());
        $busy = new Process([PHP_BINARY, '-r', self::BUSY, (string) $redis->port]);
        $busy->start();

        // The machine may have other things to do than to let it be busy; root may have it go first.
        preg_match('/process_id:(\d+)/', $redis->info('server'), $m);
        (new Process(['renice', '-n', '-15', '-p', $m[1] ?? '0', (string) $busy->getPid()]))->run();
        $before = CpuShare::now();
        $look = 0;

        while ($look < 20 && self::watched('R10', $redis)->problems() === []) {
            $look++;
            usleep(100_000);
        }

        $busy->stop(0);

        if ($look === 20 && $before->ofOthersSince() > 0.5) {
            self::markTestSkipped('Other programs took more than half of the CPUs, so that Redis could not be busy.');
        }

        self::assertLessThan(20, $look);
        self::assertSame([], self::watched('R10', $redis)->problems());
    }

    #[Test]
    public function a_local_redis_by_tcp_is_moved_to_its_socket_by_the_fix(): void
    {
        $directory = TemporaryDirectory::create('socket');
        $redis = RedisServer::start(['unixsocket' => $directory->file('redis.sock')]);
        $problems = self::watched('R5', $redis)->problems();
        self::assertCount(1, $problems);
        self::assertStringEndsWith(' µs', $problems[0]->finding->evidence[1]->value);

        self::assertSame(
            ["REDIS_HOST={$directory->file('redis.sock')}", 'REDIS_PORT=0'],
            array_column($problems[0]->finding->fix->edits ?? [], 'new'),
        );
        $moved = self::watched('R5', $redis, ['host' => $directory->file('redis.sock'), 'port' => '0']);
        self::assertSame(
            [Status::Pass],
            array_map(static fn (CheckResult $verdict): Status => $verdict->finding->status, $moved->results),
        );
        $directory->remove();
    }

    #[Test]
    public function a_server_that_is_not_there_has_done_nothing_that_is_known(): void
    {
        $redis = RedisServer::start();
        $servers = (new RedisProbe([new RedisAddress("tcp://127.0.0.1:{$redis->port}")]))->facts();
        $redis->kill();
        $window = RedisWindow::measure([new RedisAddress("tcp://127.0.0.1:{$redis->port}")]);
        $diagnosis = (new CheckRunner(Checks::only('R10')))->run(new Facts([
            RedisServers::class => static fn (): RedisServers => $servers,
            RedisWindow::class => static fn (): RedisWindow => $window,
        ]));

        self::assertSame(
            [Status::Unknown],
            array_map(static fn (CheckResult $verdict): Status => $verdict->finding->status, $diagnosis->results),
        );
        self::assertNotSame([], $diagnosis->results[0]->finding->fix->commands ?? []);
    }

    /**
     * @param array<string, string> $connection replaces the settings of the connection
     *
     * @phpstan-impure
     */
    private static function watched(string $id, RedisServer $redis, array $connection = []): Report
    {
        $application = new Application('/app', '12.0.0', 'production', false, [], [
            'session' => ['driver' => 'redis'],
            'database' => ['redis' => [
                'default' => $connection + ['host' => '127.0.0.1', 'port' => (string) $redis->port, 'database' => '0'],
            ]],
        ], texts: ['config/database.php' => "env('REDIS_HOST') env('REDIS_PORT')", '.env' => "REDIS_HOST=127.0.0.1\n"]);

        return (new CheckRunner(Checks::only($id)))->run(new Facts([
            Application::class => static fn (): Application => $application,
            RedisServers::class => static fn (): RedisServers
                => (new RedisProbe(RedisAddress::of($application)))->facts(),
            RedisWindow::class => static fn (): RedisWindow => RedisWindow::measure(RedisAddress::of($application)),
        ]));
    }

    private static function examined(RedisServer $redis): Report
    {
        $servers = (new RedisProbe([new RedisAddress(
            "tcp://127.0.0.1:{$redis->port}",
            uses: ['session', 'cache'],
        )]))->facts();

        return (new CheckRunner(Checks::only(...self::IDS)))->run(
            new Facts([RedisServers::class => static fn (): RedisServers => $servers]),
        );
    }

    /** @return array<string, Status> */
    private static function statuses(Report $diagnosis): array
    {
        $statuses = [];

        foreach ($diagnosis->results as $verdict) {
            $statuses[$verdict->check->id] = $verdict->finding->status;
        }

        ksort($statuses);

        return $statuses;
    }
}
