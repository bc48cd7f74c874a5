<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Alternatives;

use Headroom\Process\Programs;
use Headroom\Tests\Laravel\Support\ApplicationTestCase;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Support\Fetched;
use Headroom\Tests\Support\Redis\RedisServer;
use Symfony\Component\Process\Exception\ProcessSignaledException;

/**
 * docs/why-not-a-queued-job.md: one application that writes a row in each of the ways that the page compares. Processes
 * kill themselves at the point in question, so that no test depends on time.
 */
abstract class AlternativesTestCase extends ApplicationTestCase
{
    private const FILES = [
        'front.php' => 'public/front.php',
        'api.php' => 'routes/api.php',
        'console.php' => 'routes/console.php',
        'providers.php' => 'bootstrap/providers.php',
        'Write.php' => 'app/Jobs/Write.php',
        'MemoryBuffer.php' => 'app/MemoryBuffer.php',
        'CountInserts.php' => 'app/CountInserts.php',
        'Statement.php' => 'app/Statement.php',
    ];

    private const TABLES = [
        'create table jobs (id integer primary key, queue text, payload text, attempts integer, reserved_at integer,'
            .' available_at integer, created_at integer)',
        'create table failed_jobs (id integer primary key, uuid text, connection text, queue text, payload text,'
            .' exception text, failed_at text)',
    ];

    private ?RedisServer $redis = null;

    protected function setUp(): void
    {
        parent::setUp();

        rename($this->app->path('bootstrap/providers.php'), $this->app->path('bootstrap/package.php'));

        foreach (self::FILES as $from => $to) {
            copy(__DIR__."/fixtures/{$from}", $this->app->path($to));
        }

        $this->app->config('queue', <<<'PHP'
            ['default' => 'database', 'failed' => ['driver' => 'database-uuids', 'database' => 'sqlite',
                'table' => 'failed_jobs'], 'connections' => [
                'database' => ['driver' => 'database', 'table' => 'jobs', 'queue' => 'default', 'retry_after' => 1],
                'redis' => ['driver' => 'redis', 'connection' => 'default', 'queue' => 'default', 'retry_after' => 1],
            ]]
            PHP);
        $this->declareBuckets(['api-events' => []]);
        $this->app->migrate();
        array_map($this->app->execute(...), self::TABLES);
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        $this->redis?->stop();
    }

    /** @param array<string, string|int> $options as in redis.conf */
    protected function redis(array $options = []): RedisServer
    {
        if ($this->redis !== null) {
            return $this->redis;
        }

        $redis = $this->redis = RedisServer::start($options);
        $client = extension_loaded('redis') ? 'phpredis' : 'predis';
        $this->app->config(
            'database',
            "['default' => 'sqlite', 'connections' => ['sqlite' => ['driver' => 'sqlite', 'database' =>"
                ." database_path('database.sqlite'), 'prefix' => '']], 'redis' => ['client' => '{$client}',"
                ." 'options' => ['prefix' => ''], 'default' => ['timeout' => 5, 'read_timeout' => 5,"
                ." 'host' => '127.0.0.1', 'port' => {$redis->port}]]]",
        );
        $this->declareBuckets(['api-events' => [], 'in-redis' => ['store' => 'redis']]);

        return $redis;
    }

    /**
     * Three requests with an answer each. The process of the last one is killed after its answer.
     *
     * @return int rows that were promised
     */
    protected function answerThriceAndDie(string $way): int
    {
        $server = $this->app->serve('public/front.php');

        try {
            foreach (['', '', '?die=1'] as $query) {
                $answer = self::post("{$server->url()}/write/{$way}/1{$query}");
                self::assertSame(200, $answer->status, $answer->body.$this->app->log());
                self::assertStringContainsString('"accepted":1', $answer->body);
            }
        } finally {
            $server->stop();
        }

        return 3;
    }

    /** One request; the application lives. */
    protected function write(string $way, int $count = 1): Fetched
    {
        $server = $this->app->serve('public/front.php');

        try {
            return self::post("{$server->url()}/write/{$way}/{$count}");
        } finally {
            $server->stop();
        }
    }

    protected function artisan(string ...$arguments): Outcome
    {
        $outcome = $this->app->artisan(...$arguments);
        self::assertSame(0, $outcome->exit, $outcome->all().$this->app->log());

        return $outcome;
    }

    /** @param array<string, string> $env */
    protected function dies(array $env, string ...$arguments): void
    {
        $process = $this->app->process([Programs::php(), 'artisan', ...array_values($arguments)], $env);

        try {
            $process->run();
        } catch (ProcessSignaledException $e) {
            self::assertSame(SIGKILL, $e->getSignal());

            return;
        }

        self::fail('It lives: '.$process->getOutput().$process->getErrorOutput());
    }

    /** @return int rows in the table */
    protected function counted(string $table = 'api_events'): int
    {
        return count($this->app->rows("select * from {$table}"));
    }

    /** @return int statements that inserted into the table of the events */
    protected function inserts(): int
    {
        $log = $this->app->path('storage/inserts.log');

        return is_file($log) ? count((array) file($log)) : 0;
    }

    /** @param array<string, array<string, string>> $buckets */
    private function declareBuckets(array $buckets): void
    {
        $all = array_map(
            static fn (array $options): array => ['sink' => 'database', 'table' => 'api_events', ...$options],
            $buckets,
        );
        $this->app->config(
            'spool',
            "['path' => storage_path('buffer'), 'min_free_bytes' => 0, 'buckets' => ".var_export($all, true).']',
        );
    }

    private static function post(string $url): Fetched
    {
        return Fetched::from($url, [
            'method' => 'POST',
            'header' => "Accept: application/json\r\nConnection: close\r\n",
        ]);
    }
}
