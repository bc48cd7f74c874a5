<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Planted;

use Headroom\Process\Programs;
use Headroom\Tests\Acceptance\Doctor\DatabaseWindowTest;
use Headroom\Tests\Acceptance\Doctor\KernelChecksTest;
use Headroom\Tests\Acceptance\Doctor\ObservedFaultsTest;
use Headroom\Tests\Acceptance\Doctor\RedisChecksTest;
use Headroom\Tests\Support\Printed;
use RuntimeException;
use Symfony\Component\Process\Process;

/**
 * Faults that only servers under load show, and no configuration.
 */
final readonly class WorkingFaults
{
    /** Rules without a row, by why. */
    public const NOT_PLANTED = [
        'N7' => 'needs nginx 1.29.7 or later: KeptConnectionsTest',
        'O7' => 'needs 10,000 lookups that miss, which takes minutes: OpcacheChecksTest',
        'O11' => 'needs Xdebug or pcov: OpcacheChecksTest',
        'O12' => 'the application shares the class map of this checkout',
        'O16' => 'Composer would have to install again: PreloadChecksTest',
        'L6' => 'the application shares the class map of this checkout',
        'L10' => 'needs a SQL server that is no longer made',
        'L14' => 'needs Telescope',
        'L15' => 'needs Pulse',
        'L17' => 'never tells by itself',
        'L20' => 'never tells by itself',
        'S7' => 'a control group is of the machine: KernelChecksTest plants it',
        'S8' => 'the memory is of the machine',
        'S9' => 'what forks want of the kernel is of the machine',
        'N20' => 'needs an nginx past its end: VersionChecksTest',
        'F16' => 'needs a PHP past its end: VersionChecksTest',
        'R13' => 'needs a Redis past its end: VersionChecksTest',
        'D11' => 'needs a SQL server past its end: VersionChecksTest',
        'L22' => 'needs a Laravel past its end: VersionChecksTest',
        'L23' => 'Supervisor is of the machine: SupervisorTest',
        'F15' => 'the stack has one file of pools: OverriddenPoolTest',
        'D7' => 'needs tables larger than the memory of the SQL server',
    ];

    /** @return list<Planting> */
    public static function faults(): array
    {
        return [...self::ofTheWeb(), ...self::ofTheKernel(), ...self::ofOthers()];
    }

    /** @return list<Planting> */
    private static function ofTheWeb(): array
    {
        return [
            new Planting(
                'N11 answers go through files',
                'N11',
                nginx: ObservedFaultsTest::SMALL_BUFFER,
                work: static fn (WholeStack $stack): array => ObservedFaultsTest::stalled($stack->web, 12, 12),
            ),
            new Planting(
                'N14 the same files by the hundred',
                'N14',
                nginx: ObservedFaultsTest::FILES,
                work: static fn (WholeStack $stack): array => self::asked($stack, '/asset.css', 3_000),
            ),
            // So often that what an opcache misses at first is little of it.
            new Planting(
                'N19 the same page by the hundred',
                'N19',
                work: static fn (WholeStack $stack): array => self::asked($stack, '/plain', 900),
                isProse: true,
            ),
            new Planting(
                'F3 a burst that the pool grows in',
                'F3',
                fpm: ObservedFaultsTest::DYNAMIC,
                work: static fn (WholeStack $stack): array
                    => array_map(static fn (Process $process): int => $process->wait(), $stack->web->slow(8, 6.5)),
            ),
            new Planting('F12 pools that fit one by one', 'F12', fpm: ObservedFaultsTest::manyPools(), also: [
                'D1', 'R3',
            ]),
            new Planting(
                'O6 waste',
                'O6',
                ini: ObservedFaultsTest::SMALL,
                work: static fn (WholeStack $stack): array => self::acts($stack, 4, 'waste=1'),
            ),
            new Planting(
                'O6 resets',
                'O6',
                work: static fn (WholeStack $stack): array => self::acts($stack, 11, 'reset=1'),
            ),
            new Planting(
                'O8 a JIT without room',
                'O8',
                ini: ObservedFaultsTest::FULL_JIT,
                work: static fn (WholeStack $stack): array => self::acts($stack, 1, 'jit=1'),
                isProse: true,
            ),
            new Planting(
                'F2 all processes wait',
                'F2',
                work: static fn (WholeStack $stack): array => $stack->web->slow(4, 15.0),
                isProse: true,
            ),
            new Planting(
                'F6 two wait for a process',
                'F6',
                work: static fn (WholeStack $stack): array => $stack->web->slow(6, 12.0),
                also: ['F2'],
                isProse: true,
            ),
        ];
    }

    /** @return list<Planting> */
    private static function ofTheKernel(): array
    {
        return [
            new Planting(
                'S2 a backlog of one',
                'S2',
                work: static fn (WholeStack $stack): array => [self::started(sprintf(KernelChecksTest::CROWD, '', 1))],
                isProse: true,
            ),
            new Planting(
                'S5 a queue of four that are half open',
                'S5',
                work: static fn (WholeStack $stack): array
                    => [self::started(sprintf(KernelChecksTest::CROWD, KernelChecksTest::DEFER, 4))],
                also: ['S2'],
                isProse: true,
            ),
            new Planting('S4 what does not fit is cut off', 'S4', work: static function (WholeStack $stack): array {
                $stack->kernel(['net.ipv4.tcp_abort_on_overflow' => '1']);

                return [];
            }),
            new Planting('N15 the kernel cuts the backlog', 'N15', work: static function (WholeStack $stack): array {
                $stack->kernel(['net.core.somaxconn' => '128']);

                return [];
            }, also: ['F5']),
            new Planting('S3 ports that are kept', 'S3', work: static function (WholeStack $stack): array {
                $stack->kernel(['net.ipv4.ip_local_port_range' => '40000 40059', 'net.ipv4.tcp_tw_reuse' => '0']);
                $server = self::started(KernelChecksTest::ACCEPTS);
                (new Process([Programs::php(), '-r', KernelChecksTest::COMES, '40']))->mustRun();

                return [$server];
            }),
            new Planting(
                'S6 Redis has as many files as it may',
                'S6',
                work: static fn (WholeStack $stack): array => $stack->redis->filled(0.9),
            ),
        ];
    }

    /** @return list<Planting> */
    private static function ofOthers(): array
    {
        return [
            new Planting('R10 one thread that is busy', 'R10', work: self::busy(...), also: ['R6'], isProse: true),
            new Planting('D9 few processes, and a database far away', 'D9', away: 20.0),
            new Planting(
                'D2 connections again and again',
                'D2',
                work: static fn (WholeStack $stack): array => array_map(
                    static fn (): Process => self::client($stack, DatabaseWindowTest::CONNECTS, ''),
                    range(1, 3),
                ),
                away: 4.0,
                also: ['D9'],
                isProse: true,
            ),
            new Planting(
                'D10 a row that all change',
                'D10',
                sql: [
                    'create table if not exists doctor_hot (id int primary key, n int)',
                    'replace into doctor_hot values (1, 0)',
                ],
                work: static fn (WholeStack $stack): array => array_map(
                    static fn (): Process => self::client($stack, DatabaseWindowTest::COUNTS, '1'),
                    range(1, 5),
                ),
                isProse: true,
            ),
            new Planting(
                'L18 seventy queries for a request',
                'L18',
                work: static fn (WholeStack $stack): array
                    => [self::client($stack, DatabaseWindowTest::VISITS, "70 {$stack->web->url('us=0')}")],
                isProse: true,
            ),
            new Planting(
                'L19 sessions are locked',
                'L19',
                config: ["'cookie' => 's'" => "'cookie' => 's', 'block' => true"],
                isProse: true,
            ),
            new Planting(
                'L21 workers ask the SQL server',
                'L21',
                env: ['CACHE_STORE' => 'database'],
                config: [
                    "'stores' => [" => "'stores' => ['database' => ['driver' => 'database', 'connection' => 'mysql', "
                        ."'table' => 'cache'], ",
                ],
                sql: [
                    'create table if not exists cache (`key` varchar(255) primary key, value mediumtext,'
                        .' expiration int)',
                ],
                work: static function (WholeStack $stack): array {
                    $worker = $stack->app->application->process([
                        Programs::php(), 'artisan', 'queue:work', 'redis', '--sleep=1',
                    ]);
                    $worker->start();
                    usleep(1_000_000);
                    $worker->isRunning() || throw new RuntimeException($worker->getOutput().$worker->getErrorOutput());

                    return [$worker];
                },
                also: ['D4', 'L8'],
            ),
        ];
    }

    /** @return list<Process> */
    private static function busy(WholeStack $stack): array
    {
        $busy = self::start(RedisChecksTest::BUSY, (string) $stack->redis->server->port);
        // The machine may have other things to do than to let it be busy.
        (new Process(['renice', '-n', '-15', '-p', (string) $stack->redis->pid(), (string) $busy->getPid()]))->run();

        return [$busy];
    }

    /** @return list<never> */
    private static function asked(WholeStack $stack, string $path, int $times): array
    {
        $stack->web->many($path, $times);
        $stack->web->logged($times);

        return [];
    }

    /** @return list<never> */
    private static function acts(WholeStack $stack, int $times, string $query): array
    {
        for ($i = 0; $i < $times; $i++) {
            $stack->web->get($query) === 'served' && $stack->web->get('us=0') === 'served'
                || throw new RuntimeException("The stack does not answer to {$query}.");
        }

        return [];
    }

    private static function client(WholeStack $stack, string $php, string $word): Process
    {
        $server = $stack->sql->server;
        $host = $stack->far->host ?? $server['host'];
        $port = $stack->far->port ?? $server['port'];

        return self::started(
            $php,
            "mysql:host={$host};port={$port};dbname={$server['database']}",
            $server['username'],
            $server['password'],
            $word,
        );
    }

    /** Returns once it says that it is ready. */
    private static function started(string $php, string ...$words): Process
    {
        $process = self::start($php, ...$words);
        Printed::by($process, 'ready');
        $process->isRunning() || throw new RuntimeException($process->getErrorOutput());

        return $process;
    }

    private static function start(string $php, string ...$words): Process
    {
        $process = new Process([Programs::php(), '-r', $php, ...$words], timeout: null);
        $process->start();

        return $process;
    }
}
