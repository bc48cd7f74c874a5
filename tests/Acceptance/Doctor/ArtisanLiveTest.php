<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Dev\DelayProxy;
use Headroom\Tests\Acceptance\Doctor\UnderLoad\UnderLoadDocument;
use Headroom\Tests\Contract\Support\TestDatabase;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use Headroom\Tests\Support\CpuShare;
use Headroom\Tests\Support\Redis\RedisServer;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The application tells where its Redis and its SQL server are.
 */
#[Group('quiet')]
final class ArtisanLiveTest extends TestCase
{
    private const TRIES = 3;

    #[Test, Group('day-3')]
    public function artisan_knows_the_servers_and_names_the_setting(): void
    {
        $sql = TestDatabase::MariaDb->server();
        $redis = RedisServer::start();
        $way = DelayProxy::start('127.0.0.1', $redis->port, 20.0);
        $app = ScratchApplication::onThisCheckout();
        $connection =
            "['host' => '127.0.0.1', 'port' => {$way->port}, 'database' => 0, 'timeout' => 1, 'read_timeout' => 9]";
        $app->config('session', "['driver' => 'redis', 'connection' => null, 'lottery' => [2, 100], 'cookie' => 's']");
        $app->config(
            'database',
            var_export(
                ['default' => 'sql', 'connections' => ['sql' => ['driver' => 'mysql', 'charset' => 'utf8mb4'] + $sql]],
                true,
            )
                ." + ['redis' => ['client' => 'phpredis', 'options' => ['persistent' => env('REDIS_PERSISTENT',"
                ." false)], 'default' => {$connection}, 'cache' => {$connection}]]",
        );
        $stack = new Stack(
            script: "<?php \$redis = new Redis; \$redis->connect('127.0.0.1', {$way->port}); \$redis->ping();"
                ." echo 'served';",
        );

        try {
            $live = self::live($app, $stack);
        } finally {
            $app->remove();
        }

        $live->assertCause('redis-connections');
        $live->assertSentence("~\bRedis 127\.0\.0\.1:{$way->port}\b~");
        self::assertSame('R1', $live->at('fix_of'));
        self::assertGreaterThan(0, $live->number('samples', 'database', 0, 'connections'));
        // Other tests start and end a PHP-FPM of their own meanwhile, which may be a gap.
        self::assertNotContains('Redis', array_column($live->all('unknown'), 'what'));
        self::assertStringNotContainsString(
            'SQL',
            implode("\n", array_filter(array_column($live->all('unknown'), 'what'), is_string(...))),
        );
    }

    #[Test]
    #[Group('proof')]
    public function a_connection_that_is_not_configured_ends_no_command(): void
    {
        $app = ScratchApplication::onThisCheckout();
        $app->config('database', "['default' => 'none', 'connections' => []]");
        $stack = new Stack;

        try {
            $top = $app->artisan('headroom:doctor:top', '--looks=1', '--every=0.2', '--fpm='.$stack->path('fpm.sock'));
            $live = $app->artisan(
                'headroom:doctor',
                '--only=D1',
                '--url='.$stack->url(),
                '--duration=2',
                '--concurrency=2',
                '--json',
                '--fail-on=never',
            );
        } finally {
            $app->remove();
        }

        self::assertSame([0, 0], [$top->exit, $live->exit], $top->all().$live->all());
        self::assertStringContainsString('Database connection [none] not configured', $live->out);
    }

    /**
     * While others take the CPUs, most connections are closed before they are looked up; it says so then,
     * and is asked again.
     */
    private static function live(ScratchApplication $app, Stack $stack, int $tries = self::TRIES): UnderLoadDocument
    {
        $before = CpuShare::now();
        $live = UnderLoadDocument::of(
            $app->artisan(
                'headroom:doctor',
                '--only=R1',
                '--url='.$stack->url(),
                '--duration=5',
                '--concurrency=20',
                '--json',
            )->out,
            $before,
        );
        $isHidden = $live->text('cause', 'id') === 'unclear' && $live->text('cause', 'confidence') !== 'all was seen';

        return $isHidden && $tries > 1 ? self::live($app, $stack, $tries - 1) : $live;
    }
}
