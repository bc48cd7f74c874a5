<?php

declare(strict_types=1);

namespace Headroom\Console\Doctor;

use Closure;
use DateTimeImmutable;
use Headroom\Doctor\AbsentFact;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Database\DatabaseServer;
use Headroom\Doctor\Facts\Database\DatabaseWindow;
use Headroom\Doctor\Facts\Fpm\Applications;
use Headroom\Doctor\Facts\Fpm\FpmPools;
use Headroom\Doctor\Facts\Fpm\FpmProbe;
use Headroom\Doctor\Facts\Kernel\CpuWindow;
use Headroom\Doctor\Facts\Kernel\KernelLog;
use Headroom\Doctor\Facts\Kernel\KernelWindow;
use Headroom\Doctor\Facts\Kernel\LocalPorts;
use Headroom\Doctor\Facts\Kernel\MemoryOfMachine;
use Headroom\Doctor\Facts\Kernel\ServerProcesses;
use Headroom\Doctor\Facts\Kernel\Sysctl;
use Headroom\Doctor\Facts\Kernel\UsableCpus;
use Headroom\Doctor\Facts\Laravel\Application;
use Headroom\Doctor\Facts\Laravel\BlockingRoutes;
use Headroom\Doctor\Facts\Laravel\CommandLinePhp;
use Headroom\Doctor\Facts\Laravel\JobClasses;
use Headroom\Doctor\Facts\Laravel\QueueWorkers;
use Headroom\Doctor\Facts\Laravel\RedisConnections;
use Headroom\Doctor\Facts\Laravel\RedisSubscriptions;
use Headroom\Doctor\Facts\Laravel\RememberCalls;
use Headroom\Doctor\Facts\Laravel\SupervisorPrograms;
use Headroom\Doctor\Facts\Nginx\NginxProbe;
use Headroom\Doctor\Facts\Nginx\NginxServer;
use Headroom\Doctor\Facts\Nginx\NginxServers;
use Headroom\Doctor\Facts\Redis\RedisAddress;
use Headroom\Doctor\Facts\Redis\RedisAddresses;
use Headroom\Doctor\Facts\Redis\RedisProbe;
use Headroom\Doctor\Facts\Redis\RedisServers;
use Headroom\Doctor\Facts\Redis\RedisWindow;
use Headroom\Doctor\Facts\Versions\Packages;
use Headroom\Doctor\Facts\Versions\SupportEnds;
use Headroom\Doctor\Live\DatabaseMeter;
use Headroom\Doctor\UnknownFact;
use Headroom\Process\Proc;

/**
 * Maps each fact of the doctor to the function that finds it on this machine.
 *
 * @internal
 */
final readonly class Probes
{
    /** @return array<class-string, Closure(Facts): object> */
    public static function ofThisMachine(): array
    {
        return [
            NginxServers::class => self::seen(
                'nginx',
                static fn (): NginxServers => NginxServers::of(
                    (new NginxProbe((int) max(1, floor(UsableCpus::of((int) getmypid())->usable()))))->examine(),
                ),
            ),
            NginxServer::class => static fn (Facts $facts): NginxServer => $facts->get(NginxServers::class)->first(),
            FpmPools::class => self::seen('PHP-FPM', static fn (): FpmPools => (new FpmProbe)->facts()),
            Applications::class => self::applications(...),
            MemoryOfMachine::class => static fn (): MemoryOfMachine => MemoryOfMachine::read(),
            CpuWindow::class => static fn (): CpuWindow => CpuWindow::look(),
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
                => throw AbsentFact::of('only a Laravel application knows this: php artisan headroom:doctor'),
            DatabaseServer::class => static fn (): object
                => throw AbsentFact::of('only an application knows its database: php artisan headroom:doctor'),
            DatabaseWindow::class => static fn (): object
                => throw AbsentFact::of('only an application knows its database: php artisan headroom:doctor'),
            BlockingRoutes::class => static fn (): object
                => throw AbsentFact::of('only an application knows its routes: php artisan headroom:doctor'),
            RememberCalls::class => static fn (Facts $facts): RememberCalls
                => RememberCalls::below($facts->get(Application::class)->basePath),
            DatabaseMeter::class => static fn (): object
                => throw AbsentFact::of('only an application knows its database: php artisan headroom:doctor'),
            CommandLinePhp::class => static fn (): CommandLinePhp => CommandLinePhp::ofThisProcess(),
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
            SupportEnds::class => static fn (): SupportEnds => SupportEnds::read(new DateTimeImmutable('today')),
            Packages::class => static fn (): Packages => Packages::ofThisMachine(),
            RedisWindow::class => static fn (Facts $facts): RedisWindow
                => RedisWindow::look($facts->get(RedisAddresses::class)->all),
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
            } catch (AbsentFact $e) {
                throw $proc->hidesOthers()
                    ? UnknownFact::because(
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

        return new RedisAddresses(RedisAddress::of($app), (new RedisConnections($app))->unread());
    }

    /** Without nginx, the scripts in opcache show the applications. */
    private static function applications(Facts $facts): Applications
    {
        try {
            $nginx = $facts->get(NginxServers::class);
        } catch (AbsentFact|UnknownFact) {
            $nginx = null;
        }

        return new Applications($facts->get(FpmPools::class), $nginx);
    }

    /** Without a server process there is no CPU quota, and the kernel's counters are read all the same. */
    private static function window(Facts $facts): KernelWindow
    {
        try {
            $quotas = $facts->get(ServerProcesses::class)->quotas();
        } catch (AbsentFact) {
            $quotas = [];
        }

        return KernelWindow::look($quotas);
    }
}
