<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx\Fpm;

use Headroom\Doctor\Facts;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Nginx\Fpm\IdleConnections;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Tests\Unit\Doctor\Nginx\Configs;
use Headroom\Tests\Unit\Doctor\Support\WebServers;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class IdleConnectionsTest extends TestCase
{
    private const CONFIG = "worker_processes 2;\nhttp {\nfastcgi_keep_conn on;\n"
        ."upstream a {\nserver unix:/a;\nkeepalive 3;\n}\nupstream b {\nserver unix:/b;\nkeepalive 1;\n}\n"
        ."server {\nlocation /a {\nfastcgi_pass a;\n}\nlocation /again {\nfastcgi_pass a;\n}\n"
        ."location /b {\nfastcgi_pass b;\n}\n}\n}\n";

    private WebServers $machine;

    protected function setUp(): void
    {
        $this->machine = new WebServers;
    }

    #[Test]
    public function an_upstream_counts_once_for_each_worker_of_each_nginx(): void
    {
        $servers = $this->machine->nginx([10 => Configs::from(self::CONFIG), 20 => Configs::from(self::CONFIG)]);
        $all = IdleConnections::of(...$servers->known);
        $pools = $this->pools(8, 8)->pools;

        self::assertSame([['2 x 4', '2 x 4'], 16], [$all->terms(), $all->sum()]);
        self::assertSame([['2 x 3', '2 x 3'], 12], [$all->to($pools[0])->terms(), $all->to($pools[0])->sum()]);
        self::assertSame(4, $all->to($pools[1])->sum());
        self::assertSame([false, true], [$all->to($pools[0])->leaveFree(12), $all->to($pools[0])->leaveFree(13)]);
        self::assertTrue($all->toUpstream('c')->isEmpty());
        self::assertCount(2, $all->reloads());
    }

    #[Test]
    public function more_workers_or_fewer_processes_starve_the_pools_that_they_concern(): void
    {
        $servers = $this->machine->nginx([10 => Configs::from(self::CONFIG)]);
        $pools = $this->pools(10, 10);
        $facts = new Facts([
            NginxServers::class => static fn (): NginxServers => $servers,
            FpmPools::class => static fn (): FpmPools => $pools,
        ]);
        $names = static fn (IdleConnections $idle): array => array_merge(...array_map(
            static fn (NginxServer $nginx): array => array_keys($idle->upstreams($nginx)),
            $idle->servers(),
        ));

        self::assertSame([], $names(IdleConnections::starving($facts)));
        self::assertSame([], $names(IdleConnections::starving($facts, $servers->known[0], 3)));
        self::assertSame(['a'], $names(IdleConnections::starving($facts, $servers->known[0], 4)));
        self::assertSame(['a', 'b'], $names(IdleConnections::starving($facts, $servers->known[0], 10)));
        self::assertSame(
            [['b'], []],
            array_map(static fn (int $children): array => $names(
                IdleConnections::starving($facts, lowered: $pools->pools[1], children: $children),
            ), [2, 3]),
        );
    }

    private function pools(int $a, int $b): FpmPools
    {
        return $this->machine->fpm([
            'a' => ['listen' => '/a', 'pm.max_children' => "{$a}"],
            'b' => ['listen' => '/b', 'pm.max_children' => "{$b}"],
        ]);
    }
}
