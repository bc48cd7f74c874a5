<?php

declare(strict_types=1);

namespace Headroom\Console\Doctor;

use Closure;
use DateTimeImmutable;
use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Application\PhpCli;
use Headroom\Doctor\Application\QueueWorkers;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Database\DatabaseWindow;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Fpm\FpmProbe;
use Headroom\Doctor\Kernel\CpuWindow;
use Headroom\Doctor\Kernel\KernelLog;
use Headroom\Doctor\Kernel\KernelWindow;
use Headroom\Doctor\Kernel\MachineMemory;
use Headroom\Doctor\Kernel\Process\ServerProcesses;
use Headroom\Doctor\Kernel\Process\UsableCpus;
use Headroom\Doctor\Kernel\Sockets\LocalPorts;
use Headroom\Doctor\Kernel\Sysctl;
use Headroom\Doctor\Laravel\BlockingRoutes;
use Headroom\Doctor\Laravel\CacheRememberCalls;
use Headroom\Doctor\Laravel\Queue\JobClasses;
use Headroom\Doctor\Laravel\Queue\SupervisorPrograms;
use Headroom\Doctor\Nginx\Fpm\ServedApplications;
use Headroom\Doctor\Nginx\NginxProbe;
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Doctor\NotApplicable;
use Headroom\Doctor\Redis\RedisAddress;
use Headroom\Doctor\Redis\RedisAddresses;
use Headroom\Doctor\Redis\RedisProbe;
use Headroom\Doctor\Redis\RedisServers;
use Headroom\Doctor\Redis\RedisSubscriptions;
use Headroom\Doctor\Redis\RedisUsage;
use Headroom\Doctor\Redis\RedisWindow;
use Headroom\Doctor\UnderLoad\Samplers\DatabaseSampler;
use Headroom\Doctor\Versions\EndOfLifeDates;
use Headroom\Doctor\Versions\SystemPackages;
use Headroom\Process\Proc;

/**
 * Maps each fact of the doctor to the function that finds it on this machine.
 *
 * @internal
 */
final readonly class FactProviders
{
    /** @return array<class-string, Closure(Facts): object> */
    public static function ofThisMachine(): array
    {
        return [
            NginxServers::class => self::seen(
                'nginx',
                static fn (): NginxServers
                    => (new NginxProbe((int) max(1, floor(UsableCpus::of((int) getmypid())->usable()))))->servers(),
            ),
            FpmPools::class => self::seen('PHP-FPM', static fn (): FpmPools => (new FpmProbe)->facts()),
            ServedApplications::class => self::applications(...),
            MachineMemory::class => static fn (): MachineMemory => MachineMemory::read(),
            CpuWindow::class => static fn (): CpuWindow => CpuWindow::measure(),
            KernelWindow::class => self::window(...),
            KernelLog::class => static fn (): KernelLog => KernelLog::read(),
            LocalPorts::class => static fn (): LocalPorts => LocalPorts::read(),
            ServerProcesses::class => self::seen(
                'a server',
                static fn (): ServerProcesses => ServerProcesses::running(),
            ),
            UsableCpus::class => static fn (): UsableCpus => UsableCpus::of((int) getmypid()),
            Sysctl::class => static fn (): Sysctl => new Sysctl,
            Application::class => static fn (): object
                => throw NotApplicable::of('only a Laravel application knows this: php artisan headroom:doctor'),
            DatabaseServer::class => static fn (): object
                => throw NotApplicable::of('only an application knows its database: php artisan headroom:doctor'),
            DatabaseWindow::class => static fn (): object
                => throw NotApplicable::of('only an application knows its database: php artisan headroom:doctor'),
            BlockingRoutes::class => static fn (): object
                => throw NotApplicable::of('only an application knows its routes: php artisan headroom:doctor'),
            CacheRememberCalls::class => static fn (Facts $facts): CacheRememberCalls
                => CacheRememberCalls::below($facts->get(Application::class)->basePath),
            DatabaseSampler::class => static fn (): object
                => throw NotApplicable::of('only an application knows its database: php artisan headroom:doctor'),
            PhpCli::class => static fn (): PhpCli => PhpCli::ofThisProcess(),
            JobClasses::class => static fn (Facts $facts): JobClasses => JobClasses::below(
                $facts->get(Application::class)->basePath,
            ),
            RedisSubscriptions::class => static fn (Facts $facts): RedisSubscriptions => RedisSubscriptions::below(
                $facts->get(Application::class)->basePath,
            ),
            SupervisorPrograms::class => static fn (): SupervisorPrograms => SupervisorPrograms::ofThisMachine(),
            QueueWorkers::class => static fn (): QueueWorkers => QueueWorkers::running(),
            RedisAddresses::class => self::redis(...),
            RedisServers::class => static fn (Facts $facts): RedisServers
                => (new RedisProbe($facts->get(RedisAddresses::class)->all))->facts(),
            EndOfLifeDates::class => static fn (): EndOfLifeDates
                => EndOfLifeDates::read(new DateTimeImmutable('today')),
            SystemPackages::class => static fn (): SystemPackages => SystemPackages::ofThisMachine(),
            RedisWindow::class => static fn (Facts $facts): RedisWindow
                => RedisWindow::measure($facts->get(RedisAddresses::class)->all),
        ];
    }

    /**
     * Finds running programs. If this user does not see the processes of other users, "none" becomes "unknown".
     *
     * @param Closure(): object $look
     * @return Closure(): object
     */
    public static function seen(string $what, Closure $look, Proc $proc = new Proc): Closure
    {
        return static function () use ($what, $look, $proc): object {
            try {
                return $look();
            } catch (NotApplicable $e) {
                throw $proc->hidesOthers()
                    ? FactUnavailable::because(
                        "Whether {$what} of another user runs here is not known: /proc is mounted with hidepid.",
                        'sudo headroom doctor',
                    )
                    : $e;
            }
        };
    }

    private static function redis(Facts $facts): RedisAddresses
    {
        $app = $facts->get(Application::class);

        return new RedisAddresses(RedisAddress::of($app), (new RedisUsage($app))->unread());
    }

    /** Without nginx, the scripts in opcache show the applications. */
    private static function applications(Facts $facts): ServedApplications
    {
        try {
            $nginx = $facts->get(NginxServers::class);
        } catch (NotApplicable|FactUnavailable) {
            $nginx = null;
        }

        return new ServedApplications($facts->get(FpmPools::class), $nginx);
    }

    /** Without a server process there is no CPU quota, and the kernel's counters are read all the same. */
    private static function window(Facts $facts): KernelWindow
    {
        try {
            $quotas = $facts->get(ServerProcesses::class)->quotas();
        } catch (NotApplicable) {
            $quotas = [];
        }

        return KernelWindow::measure($quotas);
    }
}
