<?php

declare(strict_types=1);

namespace Headroom\Cli\Doctor;

use Closure;
use Headroom\Doctor\AbsentFact;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Database\DatabaseServer;
use Headroom\Doctor\Facts\Fpm\FpmPools;
use Headroom\Doctor\Facts\Fpm\FpmProbe;
use Headroom\Doctor\Facts\Kernel\CpuWindow;
use Headroom\Doctor\Facts\Kernel\MemoryOfMachine;
use Headroom\Doctor\Facts\Kernel\Sysctl;
use Headroom\Doctor\Facts\Kernel\UsableCpus;
use Headroom\Doctor\Facts\Laravel\Application;
use Headroom\Doctor\Facts\Laravel\QueueWorkers;
use Headroom\Doctor\Facts\Nginx\NginxProbe;
use Headroom\Doctor\Facts\Nginx\NginxServer;
use Headroom\Doctor\Facts\Nginx\NginxServers;
use Headroom\Doctor\Facts\Redis\RedisAddress;
use Headroom\Doctor\Facts\Redis\RedisProbe;
use Headroom\Doctor\Facts\Redis\RedisServers;
use Headroom\Doctor\Live\DatabaseMeter;

/**
 * How each fact is found out.
 *
 * @internal
 */
final readonly class Probes
{
    /** @return array<class-string, Closure(Facts): object> */
    public static function ofThisMachine(): array
    {
        return [
            NginxServers::class => static fn (): NginxServers => NginxServers::of((new NginxProbe((int) max(1, floor(UsableCpus::of((int) getmypid())->usable()))))->examine()),
            NginxServer::class => static fn (Facts $facts): NginxServer => $facts->get(NginxServers::class)->first(),
            FpmPools::class => static fn (): FpmPools => (new FpmProbe)->facts(),
            MemoryOfMachine::class => static fn (): MemoryOfMachine => MemoryOfMachine::read(),
            CpuWindow::class => static fn (): CpuWindow => CpuWindow::look(),
            Sysctl::class => static fn (): Sysctl => new Sysctl,
            Application::class => static fn (): object => throw AbsentFact::of('only an application knows: php artisan headroom:doctor'),
            DatabaseServer::class => static fn (): object => throw AbsentFact::of('only an application knows its database: php artisan headroom:doctor'),
            DatabaseMeter::class => static fn (): object => throw AbsentFact::of('only an application knows its database: php artisan headroom:doctor'),
            QueueWorkers::class => static fn (): QueueWorkers => QueueWorkers::running(),
            RedisServers::class => static fn (Facts $facts): RedisServers => (new RedisProbe(RedisAddress::of($facts->get(Application::class))))->facts(),
        ];
    }
}
