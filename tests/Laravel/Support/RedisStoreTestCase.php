<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

use Headroom\Tests\Support\Redis\RedisServer;
use PHPUnit\Framework\TestCase;

/**
 * An application whose buckets are in Redis, through its own commands in processes of their own.
 */
abstract class RedisStoreTestCase extends TestCase
{
    protected ScratchApplication $app;

    protected ?RedisServer $redis = null;

    protected function setUp(): void
    {
        $this->app = ScratchApplication::onThisCheckout();
    }

    protected function tearDown(): void
    {
        $this->app->remove();
        $this->redis?->stop();
    }

    /** @param string $limits in seconds; on a busy machine a server may say nothing for one, which is the default */
    protected function useRedis(
        string $client,
        string $limits = "'timeout' => 5, 'read_timeout' => 5, 'read_write_timeout' => 5, ",
    ): void {
        $this->redis = RedisServer::start();
        $this->app->config(
            'database',
            "['default' => 'sqlite', 'connections' => ['sqlite' => ['driver' => 'sqlite', 'database' =>"
                ." database_path('database.sqlite'), 'prefix' => '']], 'redis' => ['client' => '{$client}', 'options'"
                ." => ['prefix' => 'shop_'], 'default' => [{$limits}'host' => '127.0.0.1', 'port' =>"
                ." {$this->redis->port}]]]",
        );
        $this->app->config(
            'spool',
            "['path' => storage_path('buffer'), 'store' => 'redis', 'buckets' => ['api-events' => ['sink' =>"
                ." 'database', 'table' => 'api_events']]]",
        );
        $this->app->migrate();
    }

    /** @return array<string, mixed> of the only bucket */
    protected function json(string $command, int $exit = 0): array
    {
        $outcome = $this->app->artisan(...[
            ...explode(' ', $command), '--json', ...(str_starts_with($command, 'spool:adopt') ? ['--force'] : []),
        ]);
        self::assertSame($exit, $outcome->exit, $outcome->all().$this->app->log());
        $document = json_decode($outcome->out, true, flags: JSON_THROW_ON_ERROR);
        $bucket = is_array($document) && is_array($document['buckets'] ?? null)
            ? $document['buckets'][0] ?? null
            : null;
        self::assertIsArray($bucket);

        /** @var array<string, mixed> $bucket */
        return $bucket;
    }

    protected function ok(string ...$arguments): Outcome
    {
        $outcome = $this->app->artisan(...$arguments);
        self::assertSame(0, $outcome->exit, implode(' ', $arguments)."\n{$outcome->all()}{$this->app->log()}");

        return $outcome;
    }
}
