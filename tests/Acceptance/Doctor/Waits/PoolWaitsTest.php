<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Waits;

use Headroom\Doctor\Facts\Fpm\RunningMaster;
use Headroom\Doctor\Facts\Waits\ProcessWaits;
use Headroom\Doctor\Facts\Waits\WaitSummary;
use Headroom\Host\Fpm\Address;
use Headroom\Host\Ports;
use Headroom\Tests\Acceptance\Doctor\Fpm\Pools;
use Headroom\Tests\Acceptance\Doctor\Stack;
use Headroom\Tests\Support\Redis\Installed;
use Headroom\Tests\Support\Redis\Patience;
use Headroom\Tests\Support\Redis\RedisServer;
use PHPUnit\Framework\Assert;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use RuntimeException;

/**
 * The processes of a real PHP-FPM, behind a real nginx.
 */
final class PoolWaitsTest extends TestCase
{
    #[Test]
    public function who_has_nothing_to_do_is_idle(): void
    {
        $stack = new Stack;

        self::comesTo(['4 idle'], static fn (): array => $stack->children());
    }

    #[Test]
    public function a_connection_that_nginx_keeps_holds_a_process(): void
    {
        $stack = new Stack(['server unix:%DIR%/fpm.sock;' => "server unix:%DIR%/fpm.sock;\n        keepalive 8;", 'fastcgi_pass php;' => "fastcgi_pass php;\n            fastcgi_keep_conn on;"]);
        self::assertSame('served', $stack->get());

        self::comesTo(['3 idle', '1 is held by a connection that the web server keeps, or does not read'], static fn (): array => $stack->children());
    }

    #[Test]
    public function who_sleeps_in_a_request_does_not_wait_for_nginx(): void
    {
        $stack = new Stack;
        $waiting = $stack->slow(2, 8.0);

        self::comesTo(['2 idle', '2 sleep'], static fn (): array => $stack->children());
        self::assertCount(2, $waiting);
    }

    /** @return iterable<string, array{bool}> */
    public static function listening(): iterable
    {
        yield 'on a Unix socket' => [false];
        yield 'on TCP' => [true];
    }

    #[Test]
    #[DataProvider('listening')]
    public function a_pool_that_waits_for_redis_says_so(bool $isTcp): void
    {
        Installed::phpRedis();
        $redis = RedisServer::start();
        $port = Ports::free();
        $pools = Pools::start(['web' => ['pm.max_children' => 6] + ($isTcp ? ['listen' => $port] : [])]);

        try {
            $pools->write('hold.php', "<?php \$r = new Redis; \$r->connect('127.0.0.1', {$redis->port}); \$r->setOption(Redis::OPT_READ_TIMEOUT, -1); \$r->blPop(['nothing'], 0);");
            $address = $isTcp ? Address::parse("127.0.0.1:{$port}") : $pools->at('web');
            $pools->hold($address, 3);
            // Whoever comes and says nothing holds a process as well, for five seconds.
            $silent = array_map(static fn () => stream_socket_client($address->target()), range(1, 2));
            self::comesTo(["3 wait for a reply from 127.0.0.1:{$redis->port} ({$redis->program()})", '2 are held by a connection that the web server keeps, or does not read', '1 idle'], static fn (): array => self::childrenOf($pools));
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
     * @param list<string> $lines
     * @param callable(): list<int> $pids
     */
    private static function comesTo(array $lines, callable $pids): void
    {
        $waits = new ProcessWaits;
        $seen = [];

        try {
            Patience::until(static function () use ($waits, $pids, $lines, &$seen): bool {
                $seen = $waits->of($pids());
                $told = (new WaitSummary($seen))->lines();
                sort($told);
                sort($lines);

                return $told === $lines;
            }, 'they wait');
        } catch (RuntimeException) {
            Assert::assertSame($lines, (new WaitSummary($seen))->lines());
        }

        Assert::assertNotSame([], $seen);
    }
}
