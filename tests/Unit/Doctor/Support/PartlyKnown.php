<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Support;

use Closure;
use Headroom\Doctor\Application\QueueWorker;
use Headroom\Doctor\Application\QueueWorkers;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Database\DatabaseWindow;
use Headroom\Doctor\Database\Engine;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\Config\FpmParseIssue;
use Headroom\Doctor\Fpm\Config\UnreadableConfig;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Fpm\Runtime\RuntimeProbe;
use Headroom\Doctor\Kernel\KernelWindow;
use Headroom\Doctor\Kernel\Process\ServerProcesses;
use Headroom\Doctor\Kernel\Process\UsableCpus;
use Headroom\Doctor\Kernel\Sysctl;
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Doctor\NotApplicable;
use Headroom\Doctor\Redis\RedisAddress;
use Headroom\Doctor\Redis\RedisAddresses;
use Headroom\Doctor\Redis\RedisServer;
use Headroom\Doctor\Redis\RedisServers;
use Headroom\Doctor\Redis\RedisWindow;
use Headroom\Tests\Unit\Doctor\Kernel\Machine;

/**
 * Facts of a planted stack that are known in part, each way that one can be.
 */
final readonly class PartlyKnown
{
    /** @return iterable<string, array<class-string, Closure(Facts): object>> */
    public static function of(PlantedStack $stack): iterable
    {
        yield 'one nginx of two' => [NginxServers::class => static fn (): NginxServers => $stack->web->nginx([20])];
        yield 'the other nginx of two' => [
            NginxServers::class => static fn (): NginxServers => $stack->web->nginx([10]),
        ];
        yield 'no nginx of two' => [NginxServers::class => static fn (): NginxServers => $stack->web->nginx([10, 20])];
        yield from self::partsOfFpm($stack);
        yield from self::ofRedis($stack);
        yield from self::ofTheDatabase();
        yield from self::ofTheKernel();
        yield 'whose the workers are' => [
            QueueWorkers::class => static fn (): QueueWorkers => new QueueWorkers(
                [new QueueWorker(1, null, $stack->isSick ? 600 : 30)],
            ),
        ];
    }

    /** @return iterable<string, array<class-string, Closure(Facts): object>> */
    private static function ofRedis(PlantedStack $stack): iterable
    {
        $unknown = FactUnavailable::because('no rights', 'sudo cat it');
        yield 'one Redis of two' => [
            RedisServers::class => static fn (): RedisServers => new RedisServers(
                [
                    $stack->redis(PlantedStack::REDIS[0]),
                    new RedisServer(PlantedStack::REDIS[1], ['session'], trouble: 'refused'),
                ],
            ),
        ];
        yield 'no Redis' => [
            RedisServers::class => static fn (): RedisServers => new RedisServers(
                array_map(
                    static fn (string $place): RedisServer => new RedisServer($place, ['session'], trouble: 'refused'),
                    PlantedStack::REDIS,
                ),
            ),
        ];
        yield 'Redis servers that tell nothing' => [
            RedisServers::class => static fn (): RedisServers => new RedisServers(
                array_map(
                    static fn (string $place): RedisServer
                        => new RedisServer($place, $stack->redis($place)->uses, slow: null),
                    PlantedStack::REDIS,
                ),
            ),
        ];
        yield 'Redis servers that hide their slow log' => [
            RedisServers::class => static fn (): RedisServers => new RedisServers(
                array_map(static fn (string $place): RedisServer => $stack->redis($place, false), PlantedStack::REDIS),
            ),
        ];
        yield 'Redis servers that were not looked at' => [
            RedisWindow::class => static fn (): RedisWindow => new RedisWindow([]),
        ];
        $cluster = static fn (RedisAddress ...$known): array => [
            RedisAddresses::class => static fn (): RedisAddresses => new RedisAddresses(
                array_values($known),
                ['cluster c' => $unknown],
            ),
            RedisServers::class => static fn (Facts $facts): object => $facts->get(
                RedisAddresses::class,
            )->all === []
                ? throw NotApplicable::of('nothing uses Redis')
                : new RedisServers(array_map($stack->redis(...), PlantedStack::REDIS)),
        ];
        yield 'a Redis cluster' => $cluster();
        yield 'a Redis cluster besides' => $cluster(
            ...array_map(static fn (string $place): RedisAddress => new RedisAddress($place), PlantedStack::REDIS),
        );
    }

    /** @return iterable<string, array<class-string, Closure(Facts): object>> */
    private static function ofTheDatabase(): iterable
    {
        $unknown = FactUnavailable::because('no rights', 'sudo cat it');
        yield 'a SQL server that tells nothing' => [
            DatabaseServer::class => static fn (): DatabaseServer => new DatabaseServer(
                Engine::Mariadb,
                '10.4.1-MariaDB',
                [],
                [],
                null,
            ),
        ];
        yield 'a SQL server that shows no waits' => [
            DatabaseWindow::class => static fn (): DatabaseWindow => new DatabaseWindow(
                1.0,
                0.02,
                0.05,
                [],
                waitsUnseen: $unknown,
            ),
        ];
    }

    /** @return iterable<string, array<class-string, Closure(Facts): object>> */
    private static function ofTheKernel(): iterable
    {
        $unknown = FactUnavailable::because('no rights', 'sudo cat it');
        yield 'a kernel that counts nothing' => [
            KernelWindow::class => static fn (): KernelWindow => new KernelWindow(
                $unknown,
                $unknown,
                ['php-fpm' => $unknown],
            ),
        ];
        yield 'a CPU quota' => [
            UsableCpus::class => static fn (): UsableCpus => UsableCpus::of(
                9,
                Machine::create()->has('/proc/9/status', "Cpus_allowed_list:\t0-7\n")->files(),
            ),
        ];
        yield 'a server process' => [
            ServerProcesses::class => static fn (): ServerProcesses => ServerProcesses::running(
                Machine::create()->has('/proc/31/comm', "redis-server\n")->files(),
            ),
        ];
        yield 'a server process and no quota' => [
            ServerProcesses::class => static fn (): ServerProcesses => ServerProcesses::running(
                Machine::create()->has('/proc/31/comm', "redis-server\n")->files(),
            ),
            KernelWindow::class => static fn (): KernelWindow => new KernelWindow($unknown, $unknown),
        ];
        yield 'settings of the kernel' => [
            Sysctl::class => static fn (): Sysctl => new Sysctl(Machine::create()->files()),
        ];
    }

    /** @return iterable<string, array<class-string, Closure(): object>> */
    private static function partsOfFpm(PlantedStack $stack): iterable
    {
        $unread = UnreadableConfig::noBinary(80, 'no rights');
        $of = static fn (FpmPools $pools): array => [FpmPools::class => static fn (): FpmPools => $pools];
        $runtime = $stack->web->runtime();

        yield 'one PHP-FPM of two' => $of(new FpmPools($stack->web->fpm(['www'])->pools, [80 => $unread], []));
        yield 'the other PHP-FPM of two' => $of(new FpmPools($stack->web->fpm(['api'])->pools, [70 => $unread], []));
        yield 'no PHP-FPM' => $of(
            new FpmPools([], [70 => UnreadableConfig::noBinary(70, 'no rights'), 80 => $unread], []),
        );
        yield 'a file of PHP-FPM' => $of(
            new FpmPools(
                $stack->web->fpm(['www'])->pools,
                [],
                [new FpmParseIssue('/etc/fpm.conf', 3, '/etc/fpm.d/api.conf', 'no rights', true)],
            ),
        );
        yield 'settings of PHP-FPM' => $of(
            self::partlyRead($stack->web->fpm(lost: ['access.log', 'php_admin_value[opcache.preload]'])),
        );
        yield 'pools that cannot be asked' => $of($stack->web->fpm(runtime: null));
        yield 'an opcache that is restricted' => $of(
            $stack->web->fpm(
                runtime: ['opcache_error' => 'it is restricted'] + array_diff_key($runtime, ['opcache' => true]),
            ),
        );
        yield 'an opcache on disk only' => $of(
            $stack->web->fpm(runtime: ['opcache' => ['opcache_enabled' => true, 'file_cache_only' => true]] + $runtime),
        );
        yield 'pools of which only the address is known' => $of($stack->web->unseen());
    }

    private static function partlyRead(FpmPools $pools): FpmPools
    {
        return new FpmPools(array_map(
            static fn (FpmPool $pool): FpmPool => new FpmPool(
                $pool->master,
                $pool->settings,
                $pool->global,
                'no rights',
                probe: new RuntimeProbe,
                isWhole: false,
            ),
            $pools->pools,
        ), [], [new FpmParseIssue('/etc/fpm.d/www.conf', 3, '/etc/fpm.d/more.conf', 'no rights', true)]);
    }
}
