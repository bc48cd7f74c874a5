<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Database;

use Closure;
use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Application\QueueWorker;
use Headroom\Doctor\Application\QueueWorkers;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Database\Engine;
use Headroom\Doctor\Fpm\Config\UnreadableConfig;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Fpm\FpmProbe;
use Headroom\Doctor\NotApplicable;
use Headroom\Doctor\Report;
use Headroom\Doctor\Status;
use Headroom\Host\Fpm\Address;
use Headroom\Tests\Unit\Doctor\Support\Applications;
use Headroom\Tests\Unit\Doctor\Support\Examined;
use Headroom\Tests\Unit\Doctor\Support\WebServers;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Rule D1: the connections that all processes together may open, and those that the server takes.
 */
final class DatabaseUsageTest extends TestCase
{
    #[Test]
    public function workers_that_may_open_too_many_connections_are_counted_before_they_do(): void
    {
        $server = new DatabaseServer(Engine::Mysql, '8.0.36', ['max_connections' => '151'], [
            'max_used_connections' => '20',
            'connection_errors_max_connections' => '0',
        ]);
        $with = static fn (int $workers): Report => Examined::by('D1', [
            DatabaseServer::class => static fn (): DatabaseServer => $server,
            QueueWorkers::class => static fn (): QueueWorkers => new QueueWorkers(array_map(
                static fn (int $pid): QueueWorker => new QueueWorker($pid, null, 60),
                range(1, $workers),
            )),
        ]);

        self::assertSame([], $with(146)->problems());
        Examined::shows(['147', '151'], $with(147)->problems()[0]->finding->message);
    }

    /**
     * @return iterable<string, array{
     *     Engine, array<string, string>, array<string, mixed>, array<string, array<string, string>>,
     *     array<string, string>, int, ?list<string>,
     * }> variables, config, pools, global, workers, what the message names or null
     */
    public static function budgets(): iterable
    {
        $pools = ['a' => ['pm.max_children' => '60'], 'b' => ['pm.max_children' => '36']];
        $two = [
            'database.default' => 'mysql',
            'database.connections' => [
                'mysql' => ['host' => 'h', 'port' => 3306],
                'jobs' => ['host' => 'h', 'port' => 3306],
                'far' => ['host' => 'g', 'port' => 3306],
            ],
            'queue.default' => 'database',
            'queue.connections.database' => ['driver' => 'database', 'connection' => 'jobs', 'retry_after' => 90],
            'session' => ['driver' => 'database', 'connection' => 'far'],
        ];

        yield 'every pool counts' => [Engine::Mysql, ['max_connections' => '100'], [], $pools, [], 0, ['96', '100']];
        yield 'every pool fits' => [Engine::Mysql, ['max_connections' => '101'], [], $pools, [], 0, null];
        yield 'workers count beside them' => [
            Engine::Mysql,
            ['max_connections' => '101'],
            [],
            $pools,
            [],
            1,
            ['97', '101'],
        ];
        yield 'process.max bounds them' => [
            Engine::Mysql,
            ['max_connections' => '55'],
            [],
            $pools,
            ['process.max' => '50'],
            0,
            null,
        ];
        yield 'a process holds a connection of each name' => [
            Engine::Mysql,
            ['max_connections' => '196'],
            $two,
            $pools,
            [],
            0,
            ['192', '196'],
        ];
        yield 'PostgreSQL keeps some for its administrator' => [
            Engine::Postgres,
            ['max_connections' => '103', 'superuser_reserved_connections' => '3'],
            [],
            $pools,
            [],
            0,
            ['96', '100', '103'],
        ];
        yield 'and for others' => [
            Engine::Postgres,
            ['max_connections' => '106', 'superuser_reserved_connections' => '3', 'reserved_connections' => '2'],
            [],
            $pools,
            [],
            0,
            null,
        ];
        yield 'the account may have fewer' => [
            Engine::Mysql,
            ['max_connections' => '500', 'max_user_connections' => '90'],
            [],
            $pools,
            [],
            0,
            ['96', '90', '500'],
        ];
        yield 'the role may have fewer' => [
            Engine::Postgres,
            ['max_connections' => '500', 'rolconnlimit' => '90'],
            [],
            $pools,
            [],
            0,
            ['96', '90', '500'],
        ];
        yield 'no limit of the account' => [
            Engine::Postgres,
            ['max_connections' => '500', 'rolconnlimit' => '-1', 'datconnlimit' => '-1'],
            [],
            $pools,
            [],
            0,
            null,
        ];
        yield 'PgBouncer bounds none of them' => [
            Engine::Postgres,
            ['max_connections' => '20'],
            ['database.default' => 'pgsql', 'database.connections.pgsql' => ['host' => 'h', 'port' => '6432']],
            $pools,
            [],
            0,
            null,
        ];
    }

    /**
     * @param array<string, string> $variables
     * @param array<string, mixed> $config
     * @param array<string, array<string, string>> $pools
     * @param array<string, string> $global
     * @param ?list<string> $shown
     */
    #[Test]
    #[DataProvider('budgets')]
    public function processes_times_connections_are_held_against_what_the_server_gives(
        Engine $engine,
        array $variables,
        array $config,
        array $pools,
        array $global,
        int $workers,
        ?array $shown,
    ): void {
        $machine = new WebServers;
        $fpm = $machine->fpm($pools, $global);
        $status = $engine === Engine::Postgres
            ? ['connections' => '9']
            : ['max_used_connections' => '9', 'connection_errors_max_connections' => '0'];
        $application = Applications::with($config)->get(Application::class);
        $facts = [
            Application::class => static fn (): Application => $application,
            FpmPools::class => static fn (): FpmPools => $fpm,
            DatabaseServer::class => static fn (): DatabaseServer
                => new DatabaseServer($engine, '16.0', $variables, $status),
            QueueWorkers::class => static fn (): QueueWorkers => new QueueWorkers(array_map(
                static fn (int $pid): QueueWorker => new QueueWorker($pid, null, 60),
                $workers === 0 ? [] : range(1, $workers),
            )),
        ];
        $diagnosis = Examined::by('D1', $facts);
        $evidence = array_column($diagnosis->results[0]->finding->evidence, 'value', 'what');

        self::assertArrayHasKey('sum', $evidence);
        self::assertSame('60', $evidence['processes of the pool a']);
        $shown === null ? Examined::is(Status::Pass, $diagnosis) : Examined::fires('D1', $shown, $diagnosis);
    }

    #[Test]
    public function processes_that_are_not_known_may_be_too_many(): void
    {
        $server = static fn (string $used): DatabaseServer => new DatabaseServer(
            Engine::Mysql,
            '8.4.0',
            ['max_connections' => '151'],
            ['max_used_connections' => $used, 'connection_errors_max_connections' => '0'],
        );
        $examined = static fn (string $used, Closure $pools): Report => Examined::by(
            'D1',
            [DatabaseServer::class => static fn (): DatabaseServer => $server($used), FpmPools::class => $pools],
        );
        $unseen = static fn (): FpmPools => (new FpmProbe)->at([Address::parse('/nowhere/a.sock')], []);

        Examined::is(Status::Unknown, $examined('20', $unseen));
        Examined::is(
            Status::Unknown,
            $examined(
                '20',
                static fn (): FpmPools => new FpmPools([], [7 => UnreadableConfig::noBinary(7, 'no rights')], []),
            ),
        );
        Examined::is(
            Status::Pass,
            $examined('20', static fn (): FpmPools => throw NotApplicable::of('no PHP-FPM runs here')),
        );
        self::assertSame(Status::Fail, $examined('150', $unseen)->problems()[0]->finding->status);
    }
}
