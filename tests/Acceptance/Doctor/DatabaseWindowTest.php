<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Dev\DelayProxy;
use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Database\DatabaseObserver;
use Headroom\Doctor\Database\DatabaseProbe;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Database\DatabaseWindow;
use Headroom\Doctor\Database\Engine;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Kernel\MachineMemory;
use Headroom\Doctor\Kernel\Process\UsableCpus;
use Headroom\Doctor\Report;
use Headroom\Doctor\Status;
use Headroom\Tests\Acceptance\Doctor\Fpm\Eventually;
use Headroom\Tests\Contract\Support\TestDatabase;
use Headroom\Tests\Support\Printed;
use Headroom\Tests\Support\Sample;
use Headroom\Tests\Unit\Doctor\Support\Examined;
use Headroom\Tests\Unit\Doctor\Support\Meanwhile;
use Headroom\Tests\Unit\Support\ManualClock;
use PDO;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * The state of real servers while the doctor looks: rows that many sessions wait for, connections that are opened and
 * closed, a server far away.
 */
final class DatabaseWindowTest extends TestCase
{
    /** Each adds one to a row in a transaction, and waits a moment before it commits. */
    public const COUNTS = '[, $dsn, $user, $password, $row] = $argv; $pdo = new PDO($dsn, $user, $password,'
        .' [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]); echo "ready\n"; while (true) { $pdo->beginTransaction();'
        .' $pdo->exec("update doctor_hot set n = n + 1 where id = $row"); usleep(20000); $pdo->commit(); }';

    /** A page, and the queries that it would ask. */
    public const VISITS = '[, $dsn, $user, $password, $words] = $argv; [$queries, $url] = explode(" ", $words);'
        .' $pdo = new PDO($dsn, $user, $password); echo "ready\n"; while (true) { file_get_contents($url); for ($i = 0;'
        .' $i < (int) $queries; $i++) { $pdo->query("select 1")->fetchAll(); } }';

    public const CONNECTS = '[, $dsn, $user, $password] = $argv; echo "ready\n"; while (true) { $pdo = new PDO($dsn,'
        .' $user, $password); $pdo->query("select 1")->fetchAll(); $pdo = null; }';

    /** @return array<string, array{TestDatabase}> MySQL shows them in its statistics, which `make test` leaves out */
    public static function serversThatShowLocks(): array
    {
        return array_filter(
            TestDatabase::servers(),
            static fn (array $case): bool => Sample::isWhole() || $case[0] !== TestDatabase::MySql,
        );
    }

    #[Test, Group('day-1')]
    #[DataProvider('serversThatShowLocks')]
    public function a_row_that_all_requests_change_is_found_by_its_table(TestDatabase $database): void
    {
        $pdo = self::connection($database);
        $pdo->exec('drop table if exists doctor_Hot');
        $pdo->exec('create table doctor_Hot (id int primary key, n int)');
        $pdo->exec('insert into doctor_Hot values (1, 0), (2, 0), (3, 0), (4, 0), (5, 0)');

        try {
            Examined::is(Status::Pass, self::examined('D10', $database));
            $crowd = array_map(
                static fn (): Process
                    => self::start(strtr(self::COUNTS, ['doctor_hot' => 'doctor_Hot']), $database, '1'),
                range(1, 5),
            );
            $problems = self::examined('D10', $database)->problems();
            self::stop($crowd);
            self::assertCount(1, $problems);
            self::assertMatchesRegularExpression(
                '/\b\d+ \D+\b10 .* \w+\.'.($database->isOfMysql() ? 'doctor_Hot' : 'doctor_hot').'\b\D+\d+\b/',
                $problems[0]->finding->message,
            );

            $apart = array_map(
                static fn (int $row): Process
                    => self::start(strtr(self::COUNTS, ['doctor_hot' => 'doctor_Hot']), $database, (string) $row),
                range(1, 5),
            );
            Examined::is(Status::Pass, self::examined('D10', $database));
            self::stop($apart);
        } finally {
            self::stop([...($crowd ?? []), ...($apart ?? [])]);
            $pdo->exec('drop table doctor_Hot');
        }
    }

    #[Test, Group('day-2')]
    public function processes_that_connect_again_and_again_are_found_and_those_that_stay_are_not(): void
    {
        $stack = new Stack;
        $server = TestDatabase::MariaDb->server();
        $far = DelayProxy::start($server['host'], (int) $server['port'], 4.0);
        Examined::is(Status::Pass, self::examined('D2', TestDatabase::MariaDb, $far, $stack));
        $busy = array_map(
            static fn (): Process => self::start(self::CONNECTS, TestDatabase::MariaDb, '', $far),
            range(1, 3),
        );
        $problems = self::examined('D2', TestDatabase::MariaDb, $far, $stack)->problems();
        self::stop($busy);
        self::assertCount(1, $problems);
        self::assertMatchesRegularExpression('/\b4 [^\d]*\z/', $problems[0]->finding->message);
        Examined::is(Status::Pass, self::examined('D2', TestDatabase::MariaDb, $far, $stack));
        $far->stop();
    }

    #[Test]
    #[Group('proof')]
    public function few_processes_with_a_far_database_are_found_and_the_fix_helps(): void
    {
        $stack = new Stack;
        $server = TestDatabase::MariaDb->server();
        Examined::is(Status::Pass, self::examined('D9', TestDatabase::MariaDb, null, $stack));
        $far = DelayProxy::start($server['host'], (int) $server['port'], 20.0);
        $problems = self::examined('D9', TestDatabase::MariaDb, $far, $stack)->problems();
        self::assertCount(1, $problems);
        self::assertMatchesRegularExpression('/\A4 \D+ \d+ \D+ \d+\.\d ms\b/', $problems[0]->finding->message);

        $fix = $problems[0]->finding->fix;
        self::assertNotNull($fix);
        $stack->applyFix($fix);
        self::assertSame('served', $stack->get());
        // While it is replaced, a PHP-FPM has no socket for its status.
        Eventually::true(static fn (): bool => self::examined(
            'D9',
            TestDatabase::MariaDb,
            $far,
            $stack,
        )->results[0]->finding->status !== Status::Unknown);
        Examined::is(Status::Pass, self::examined('D9', TestDatabase::MariaDb, $far, $stack));
        $far->stop();
    }

    #[Test, Group('day-3')]
    public function queries_of_each_request_are_counted_over_both_servers(): void
    {
        $stack = new Stack;
        Examined::is(Status::Unknown, self::examined('L18', TestDatabase::MariaDb, null, $stack));

        foreach (['5' => false, '200' => true] as $queries => $isFound) {
            $visitor = self::start(self::VISITS, TestDatabase::MariaDb, "{$queries} {$stack->url()}");

            // Too few requests within a look say nothing.
            do {
                $diagnosis = self::examined('L18', TestDatabase::MariaDb, null, $stack);
                $tries = ($tries ?? 0) + 1;
            } while ($tries < 10 && $diagnosis->results[0]->finding->status === Status::Unknown);

            self::stop([$visitor]);
            self::assertSame(
                [$isFound ? Status::Warn : Status::Pass],
                array_map(static fn (CheckResult $verdict): Status => $verdict->finding->status, $diagnosis->results),
                $diagnosis->results[0]->finding->message,
            );
        }
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'mysqlFamily')]
    public function requests_are_counted_without_the_queries_of_the_doctor(TestDatabase $database): void
    {
        $taken = [100, 107];
        $pdo = self::connection($database);
        $window = (new DatabaseObserver(
            $pdo,
            self::engine($database),
            static fn (): PDO => self::connection($database),
            static function () use (&$taken): ?int {
                return array_shift($taken);
            },
        ))->facts();

        self::assertSame(7, $window->requests());
        self::assertSame(0.0, $window->rise('questions'));
        self::assertSame(0.0, $window->rise('connections'));
        self::assertGreaterThan(0.0, $window->roundTrip);
        self::assertGreaterThan($window->roundTrip, $window->connect);
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'mysqlFamily')]
    public function a_user_that_may_not_see_locks_counts_all_statements_of_others(TestDatabase $database): void
    {
        $other = self::connection($database);
        $server = $database->server();
        $other->exec("drop user if exists doctor_blind@'%'");
        $other->exec("create user doctor_blind@'%' identified by 'blind'");

        try {
            $blind = new PDO(
                "mysql:host={$server['host']};port={$server['port']}",
                'doctor_blind',
                'blind',
                [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION],
            );
            $window = (new DatabaseObserver(
                $blind,
                self::engine($database),
                static fn (): PDO => self::connection($database),
                static fn (): null => null,
                new Meanwhile(static fn () => $other->exec('do 1')),
            ))->facts();
        } finally {
            $other->exec("drop user doctor_blind@'%'");
        }

        self::assertNotNull($window->waitsUnseen);
        self::assertSame(10.0, $window->rise('questions'));
    }

    #[Test]
    public function a_server_that_takes_seconds_is_asked_once(): void
    {
        $clock = new ManualClock;
        $made = 0;
        $window = (new DatabaseObserver(
            self::connection(TestDatabase::MariaDb),
            Engine::Mariadb,
            static function () use ($clock, &$made): PDO {
                $made++;
                $clock->sleep(3_000_000);

                return self::connection(TestDatabase::MariaDb);
            },
            static fn (): null => null,
            $clock,
        ))->facts();

        self::assertSame([1, 3.0], [$made, $window->connect]);
    }

    private static function examined(
        string $id,
        TestDatabase $database,
        ?DelayProxy $by = null,
        ?Stack $stack = null,
    ): Report {
        $pdo = self::connection($database, $by);
        $server = (new DatabaseProbe($pdo))->facts();

        return Examined::by($id, [
            DatabaseServer::class => static fn (): DatabaseServer => $server,
            DatabaseWindow::class => static fn (): DatabaseWindow => (new DatabaseObserver(
                $pdo,
                $server->engine,
                static fn (): PDO => self::connection($database, $by),
                static fn (): ?int => $stack?->pools()->pools[0]->status()->acceptedConnections,
            ))->facts(),
            MachineMemory::class => static fn (): MachineMemory => MachineMemory::read(),
            UsableCpus::class => static fn (): UsableCpus => UsableCpus::of((int) getmypid()),
            ...($stack === null ? [] : [FpmPools::class => $stack->pools(...)]),
        ]);
    }

    private static function engine(TestDatabase $database): Engine
    {
        return $database === TestDatabase::MySql ? Engine::Mysql : Engine::Mariadb;
    }

    private static function connection(TestDatabase $database, ?DelayProxy $by = null): PDO
    {
        return new PDO(
            self::dsn($database, $by),
            $database->server()['username'],
            $database->server()['password'],
            [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION],
        );
    }

    private static function dsn(TestDatabase $database, ?DelayProxy $by): string
    {
        $server = $database->server();

        return ($database->isOfMysql() ? 'mysql' : 'pgsql').':host='.($by === null ? $server['host'] : $by->host)
            .';port='.($by === null ? $server['port'] : $by->port).";dbname={$server['database']}";
    }

    private static function start(string $php, TestDatabase $database, string $word, ?DelayProxy $by = null): Process
    {
        $process = new Process([
            PHP_BINARY,
            '-r',
            $php,
            self::dsn($database, $by),
            $database->server()['username'],
            $database->server()['password'],
            $word,
        ]);
        $process->start();
        Printed::by($process, 'ready');
        self::assertTrue($process->isRunning(), $process->getErrorOutput());

        return $process;
    }

    /** @param array<Process> $processes */
    private static function stop(array $processes): void
    {
        foreach ($processes as $process) {
            $process->stop(0);
        }
    }
}
