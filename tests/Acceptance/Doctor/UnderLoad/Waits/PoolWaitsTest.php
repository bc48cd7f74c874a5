<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\UnderLoad\Waits;

use Headroom\Doctor\Fpm\Config\RunningMaster;
use Headroom\Doctor\UnderLoad\Waits\ProcessWaits;
use Headroom\Doctor\UnderLoad\Waits\Wait;
use Headroom\Doctor\UnderLoad\Waits\WaitKind;
use Headroom\Doctor\UnderLoad\Waits\WaitSummary;
use Headroom\Host\Fpm\Address;
use Headroom\Process\Ports;
use Headroom\Tests\Acceptance\Doctor\Fpm\Pools;
use Headroom\Tests\Acceptance\Doctor\Stack;
use Headroom\Tests\Support\Redis\Installed;
use Headroom\Tests\Support\Redis\Patience;
use Headroom\Tests\Support\Redis\RedisServer;
use PHPUnit\Framework\Assert;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RuntimeException;

/**
 * The processes of a real PHP-FPM, behind a real nginx.
 */
final class PoolWaitsTest extends TestCase
{
    #[Test, Group('day-2')]
    public function a_process_without_a_request_is_idle(): void
    {
        $stack = new Stack;

        self::comesTo(['idle' => 4], static fn (): array => $stack->children());
    }

    #[Test, Group('day-1')]
    public function a_connection_that_nginx_keeps_holds_a_process(): void
    {
        $stack = new Stack([
            'server unix:%DIR%/fpm.sock;' => "server unix:%DIR%/fpm.sock;\n        keepalive 8;",
            'fastcgi_pass php;' => "fastcgi_pass php;\n            fastcgi_keep_conn on;",
        ]);
        self::assertSame('served', $stack->get());

        self::comesTo(['idle' => 3, 'client' => 1], static fn (): array => $stack->children());
    }

    #[Test, Group('day-2')]
    public function a_process_that_sleeps_in_a_request_does_not_wait_for_nginx(): void
    {
        $stack = new Stack;
        $waiting = $stack->slow(2, 8.0);

        self::comesTo(['idle' => 2, 'sleeping' => 2], static fn (): array => $stack->children());
        self::assertCount(2, $waiting);
    }

    /** @return iterable<string, array{bool}> */
    public static function listening(): iterable
    {
        yield 'on a Unix socket' => [false];
        yield 'on TCP' => [true];
    }

    #[Test, Group('day-3')]
    #[DataProvider('listening')]
    public function a_pool_that_waits_for_redis_says_so(bool $isTcp): void
    {
        Installed::phpRedis();
        $redis = RedisServer::start();
        $port = Ports::free();
        $pools = Pools::start(['web' => ['pm.max_children' => 6] + ($isTcp ? ['listen' => $port] : [])]);

        try {
            $pools->write(
                'hold.php',
                "<?php \$r = new Redis; \$r->connect('127.0.0.1', {$redis->port});"
                    ." \$r->setOption(Redis::OPT_READ_TIMEOUT, -1); \$r->blPop(['nothing'], 0);",
            );
            $address = $isTcp ? Address::parse("127.0.0.1:{$port}") : $pools->at('web');
            $pools->hold($address, 3);
            // A client that says nothing holds a process as well, for five seconds.
            $silent = array_map(static fn () => stream_socket_client($address->target()), range(1, 2));
            self::comesTo(
                ["reply 127.0.0.1:{$redis->port} ({$redis->program()})" => 3, 'client' => 2, 'idle' => 1],
                static fn (): array => self::childrenOf($pools),
            );
            self::assertNotContains(false, $silent);

            for ($i = 0; $i < 3; $i++) {
                $redis->ask('RPUSH', 'nothing', 'x');
            }
        } finally {
            $pools->stop();
        }
    }

    /** @return list<int> */
    private static function childrenOf(Pools $pools): array
    {
        foreach (RunningMaster::all() as $master) {
            if ($master->pid === $pools->pid()) {
                // It listens before it has children.
                return $master->children()['web'] ?? [];
            }
        }

        Assert::fail('The PHP-FPM of this test is not found.');
    }

    /**
     * @param array<string, int> $counts how many wait, by kind and other end
     * @param callable(): list<int> $pids
     */
    private static function comesTo(array $counts, callable $pids): void
    {
        $waits = new ProcessWaits;
        $seen = [];
        ksort($counts);

        try {
            Patience::until(static function () use ($waits, $pids, $counts, &$seen): bool {
                $seen = $waits->of($pids());

                return self::counted($seen) === $counts;
            }, 'they wait');
        } catch (RuntimeException) {
            Assert::assertSame($counts, self::counted($seen));
        }

        Assert::assertCount(count($counts), (new WaitSummary($seen))->lines());
    }

    /**
     * @param list<Wait> $waits
     * @return array<string, int>
     */
    private static function counted(array $waits): array
    {
        $ends = static fn (Wait $wait): string => $wait->kind === WaitKind::Reply ? (string) $wait->peer?->text() : '';
        $counts = array_count_values(array_map(
            static fn (Wait $wait): string => trim("{$wait->kind->value} {$ends($wait)}"),
            $waits,
        ));
        ksort($counts);

        return $counts;
    }
}
