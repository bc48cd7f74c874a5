<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Core\SystemClock;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\Database;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Fault\Support\Torture;
use Headroom\Tests\Fault\Support\World;
use Headroom\Tests\Support\KillableServer;
use Headroom\Tests\Support\PostgresServer;
use Headroom\Tests\Support\Sample;
use Headroom\Tests\Support\SqlServer;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;

/**
 * kill -9 of the database server while a flusher delivers into it.
 */
final class KilledDatabaseTest extends FaultTestCase
{
    private const POINTS = ['delivery.begun', 'ledger.advanced', 'rows.inserted', 'delivery.committed'];

    private const TRIES = 3;

    private const TORTURE_TRIES = 40;

    /** @var array<string, KillableServer> one each for all tests: MySQL takes its time to begin */
    private static array $servers = [];

    public static function tearDownAfterClass(): void
    {
        foreach (self::$servers as $server) {
            $server->stop();
        }

        self::$servers = [];
    }

    /** @return array<string, array{Database}> MySQL takes five times the CPU time of MariaDB to begin */
    public static function databases(): array
    {
        $torture = Torture::fromEnvironment();
        $servers = array_diff_key(Database::byName(), ['SQLite' => true]);

        return match (true) {
            $torture->isOn => array_filter(
                $servers,
                static fn (array $server): bool => $server === [$torture->database],
            ),
            Sample::isWhole() => $servers,
            default => Sample::of(array_diff_key($servers, ['MySQL' => true]), 1),
        };
    }

    #[Test]
    #[TestDox('database server killed during a flush')]
    #[DataProvider('databases')]
    public function a_server_killed_at_any_step_of_a_delivery_loses_and_doubles_nothing(Database $database): void
    {
        $server = $this->on($database);
        $all = [];

        foreach (self::POINTS as $number => $point) {
            $ids = self::ids("{$number}.", 5);
            $this->world->append($ids);
            $all = [...$all, ...$ids];
            $flusher = $this->child('flush', points: ["{$point}#2" => Act::Wait]);
            $flusher->awaitPoint($point);
            $server->restart();
            $flusher->goOn();

            $result = $flusher->result();

            // Behind the commit the next delivery finds no session, and begins another.
            if ($point !== 'delivery.committed') {
                self::assertIsString($result['failure'], $point);
                self::assertSame(2, $result['delivered'], $point);
            }

            $this->flush();
            $this->assertDeliveredOnce($all);
        }
    }

    #[Test]
    #[TestDox('database server killed during a flush')]
    #[DataProvider('databases')]
    public function a_server_killed_at_any_moment_loses_and_doubles_nothing(Database $database): void
    {
        $server = $this->on($database);
        $all = [];

        $torture = Torture::fromEnvironment();
        $tries = $torture->isOn ? self::TORTURE_TRIES : self::TRIES;

        for ($try = 0; $try < $tries; $try++) {
            $ids = self::ids("{$try}.", 400);
            $this->world->append($ids);
            $all = [...$all, ...$ids];
            $flusher = $this->child('flush', points: ['delivery.begun#2' => Act::Wait]);
            $flusher->awaitPoint('delivery.begun');
            $flusher->goOn();
            (new SystemClock)->sleep(random_int(0, 150_000));
            $server->restart();
            $flusher->result();
        }

        $this->flush();
        $rows = $this->world->rows();
        $torture->count([
            'server_kills' => $tries,
            'lost' => count(array_diff($all, $rows)),
            'double' => count($rows) - count(array_unique($rows)),
        ]);
        $this->assertDeliveredOnce($all);
    }

    private function on(Database $database): KillableServer
    {
        $server = self::$servers[$database->value] ??= match ($database) {
            Database::PostgreSql => PostgresServer::start(),
            Database::MySql => SqlServer::mySql(),
            default => SqlServer::mariaDb(),
        };
        $world = World::on($server)->withBatch(2);
        $this->world->destroy();
        $this->world = $world;

        return $server;
    }
}
