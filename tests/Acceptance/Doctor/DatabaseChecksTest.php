<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Database\DatabaseProbe;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Report;
use Headroom\Doctor\Runner\CheckRunner;
use Headroom\Doctor\Status;
use Headroom\Tests\Contract\Support\TestDatabase;
use Headroom\Tests\Unit\Doctor\Support\Checks;
use PDO;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The checks on the settings and counters of real servers, before and after a fix.
 */
final class DatabaseChecksTest extends TestCase
{
    private const IDS = ['D1', 'D4', 'D5', 'D6', 'D7', 'D8', 'L10'];

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'servers')]
    public function a_real_server_answers_the_checks(TestDatabase $database): void
    {
        $diagnosis = $this->examined($this->connection($database));

        foreach ($diagnosis->results as $verdict) {
            self::assertNotContains(
                $verdict->finding->status,
                [Status::Unknown, Status::Crashed, Status::Skipped],
                "{$verdict->check->id}: {$verdict->finding->message}",
            );
        }

        // Sessions, cache and queue are where each commit waits for the disk; who may connect is not exhausted.
        self::assertSame(
            ['D1' => Status::Pass, 'D4' => Status::Warn, 'D5' => Status::Pass, 'L10' => Status::Pass],
            array_intersect_key(self::statuses($diagnosis), array_flip(['D1', 'D4', 'D5', 'L10'])),
        );
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'servers')]
    public function a_transaction_that_stays_open_is_found_and_ended_by_the_fix(TestDatabase $database): void
    {
        $left = $this->connection($database);
        $left->exec('create table if not exists doctor_rows (n int)');
        $left->beginTransaction();
        $left->exec('insert into doctor_rows values (1)');
        sleep(2);
        $doctor = $this->connection($database);
        $finding = $this->examined($doctor, 1)->problems()[0]->finding;

        self::assertMatchesRegularExpression('/\A1 \D+\d/', $finding->message);

        foreach ($finding->fix->commands ?? [] as $command) {
            // A command that changes the whole server would affect other tests.
            if (preg_match('/\A\w+ -[ec] \'((?:kill|select pg_terminate_backend).*)\'\z/', $command, $sql) === 1) {
                $doctor->query($sql[1]);
            }
        }

        // The server ends it when it comes to it.
        for ($look = 0; $look < 100 && self::statuses($this->examined($doctor, 1))['D5'] !== Status::Pass; $look++) {
            usleep(100_000);
        }

        self::assertSame(Status::Pass, self::statuses($this->examined($doctor, 1))['D5']);
        unset($left);
        $doctor->exec('drop table doctor_rows');
    }

    #[Test]
    #[DataProviderExternal(TestDatabase::class, 'mysqlFamily')]
    public function a_missing_log_of_slow_queries_is_switched_on_by_the_fix(TestDatabase $database): void
    {
        $doctor = $this->connection($database);
        $doctor->exec('set @log = @@global.slow_query_log, @seconds = @@global.long_query_time');

        try {
            $doctor->exec('set global slow_query_log = 0');
            $finding = $this->examined($doctor)->problems();
            $finding = array_values(array_filter(
                $finding,
                static fn (CheckResult $verdict): bool => $verdict->check->id === 'D8',
            ))[0]->finding;

            foreach ($finding->fix->commands ?? [] as $command) {
                self::assertSame(1, preg_match("/\Amysql -e '(.*)'\z/", $command, $sql));
                $doctor->exec($sql[1]);
            }

            self::assertSame(Status::Pass, self::statuses($this->examined($doctor))['D8']);
        } finally {
            $doctor->exec('set global slow_query_log = @log, global long_query_time = @seconds');
        }
    }

    private function connection(TestDatabase $database): PDO
    {
        $server = $database->server();
        $driver = $database->isOfMysql() ? 'mysql' : 'pgsql';

        return new PDO(
            "{$driver}:host={$server['host']};port={$server['port']};dbname={$server['database']}",
            $server['username'],
            $server['password'],
            [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION],
        );
    }

    private function examined(PDO $pdo, int $seconds = 10): Report
    {
        $application = new Application('/app', '12.0.0', 'production', false, [], [
            'session' => ['driver' => 'database'],
            'cache' => ['default' => 'database', 'stores' => ['database' => ['driver' => 'database']]],
            'queue' => ['default' => 'database', 'connections' => ['database' => ['driver' => 'database']]],
        ]);

        return (new CheckRunner(Checks::only(...self::IDS)))->run(new Facts([
            Application::class => static fn (): Application => $application,
            DatabaseServer::class => static fn (): DatabaseServer => (new DatabaseProbe($pdo, $seconds))->facts(),
        ]));
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
