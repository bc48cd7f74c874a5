<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Octane;

use Composer\Autoload\ClassLoader;
use Headroom\Tests\Laravel\Support\Http;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * docs/octane.md: a real Octane on Swoole. HEADROOM_OCTANE names the directory of the package laravel/octane.
 */
final class OctaneTest extends TestCase
{
    private const ROUTES = <<<'PHP'


        // Three events in two frames, so the file stays open until the request ends.
        $store = function (string $name): void {
            Headroom\Laravel\Facades\Buffer::bucket('api-events')->add(['event' => "{$name}-a"]);
            Headroom\Laravel\Facades\Buffer::bucket('api-events')->addMany(
                [['event' => "{$name}-b"], ['event' => "{$name}-c"]],
            );
        };
        Route::get('store/{name}', function (string $name) use ($store): array {
            $store($name);

            return ['pid' => getmypid(), 'held' => App\OpenSlots::count()];
        });
        Route::get('break/{name}', function (string $name) use ($store): never {
            $store($name);

            throw new RuntimeException('A request that fails.');
        });
        Route::get('task/{name}', fn (string $name): array => Laravel\Octane\Facades\Octane::concurrently([
            function () use ($name): int {
                Headroom\Laravel\Facades\Buffer::bucket('api-events')->add(['event' => "{$name}-a"]);
                Headroom\Laravel\Facades\Buffer::bucket('api-events')->add(['event' => "{$name}-b"]);

                return getmypid();
            },
        ]));
        Route::get('open', fn (): array => ['pid' => getmypid(), 'held' => App\OpenSlots::count()]);
        PHP;

    private ScratchApplication $app;

    private ?OctaneServer $server = null;

    /** @var array<string, true> events whose request was answered with 200 */
    private array $acknowledged = [];

    /** @var array<int, true> processes that have answered */
    private array $pids = [];

    protected function setUp(): void
    {
        $package = OctaneServer::package();

        if ($package === null) {
            self::markTestSkipped('laravel/octane and the extension swoole (or openswoole) are not installed.');
        }

        $this->app = ScratchApplication::onThisCheckout();
        $this->install($package);
    }

    protected function tearDown(): void
    {
        $this->server?->stop();

        if (isset($this->app)) {
            $this->app->remove();
        }
    }

    #[Test]
    public function a_reload_and_a_killed_worker_lose_no_event_and_double_none(): void
    {
        $this->server = $server = OctaneServer::start($this->app, 2);
        $this->storeSome('before', 40);
        $workers = $this->pids;
        self::assertSame(0, $server->reload()->exit);
        $this->storeUntil('reloading', fn (): bool => array_diff_key($this->pids, $workers) !== []);

        for ($kill = 1; $kill <= 3; $kill++) {
            $killed = $this->store("victim{$kill}");
            self::assertIsInt($killed);
            $this->storeAtOnce("during{$kill}", 16, static fn (): bool => posix_kill($killed, SIGKILL));
            self::assertArrayNotHasKey($killed, $this->pidsOf("after{$kill}", 10), 'Octane starts another worker.');
        }

        $this->assertDelivered();
    }

    #[Test]
    #[TestWith(['[]'], 'a buffer for each request')]
    #[TestWith(['[Headroom\\Spool\\Buffer::class]'], 'a buffer that the worker keeps')]
    public function after_a_request_a_task_and_a_failure_no_worker_holds_a_file(string $warm): void
    {
        $this->app->write('config/octane.php', str_replace(
            "'warm' => [",
            "'warm' => [...{$warm}, ",
            (string) file_get_contents(OctaneServer::package().'/config/octane.php'),
        ));
        $this->server = OctaneServer::start($this->app, 1);
        $url = $this->server->url();

        foreach (['store/request' => 200, 'break/failure' => 500, 'task/task' => 200] as $path => $status) {
            [$answered, $body] = Http::get("{$url}/{$path}");
            self::assertSame($status, $answered, json_encode($body).$this->app->log());
            $held = Http::get("{$url}/open")[1];
            self::assertIsArray($held);
            self::assertSame(0, $held['held'], $path);
        }

        // A worker of tasks holds none either: the flush would wait for a file that is locked.
        self::assertSame(0, $this->app->artisan('spool:flush')->exit);
        self::assertSame(
            ['failure-a', 'failure-b', 'failure-c', 'request-a', 'request-b', 'request-c', 'task-a', 'task-b'],
            $this->rows(),
        );
    }

    #[Test]
    public function events_of_a_server_that_was_stopped_are_delivered_later(): void
    {
        $this->server = $server = OctaneServer::start($this->app, 2);
        $this->storeSome('stopped', 20);
        $server->stop();
        $this->server = null;

        self::assertFileDoesNotExist($this->app->path('storage/app/private/buffer/autoflush'));
        self::assertSame([], $this->rows());
        $this->assertDelivered();
    }

    private function storeSome(string $prefix, int $count): void
    {
        for ($i = 0; $i < $count; $i++) {
            $this->store("{$prefix}{$i}");
        }
    }

    /** @param callable(): bool $isOver */
    private function storeUntil(string $prefix, callable $isOver): void
    {
        for ($i = 0, $end = microtime(true) + 30; ! $isOver(); $i++) {
            self::assertLessThan($end, microtime(true), 'No new worker has answered.');
            $this->store("{$prefix}{$i}");
        }
    }

    /**
     * Sends requests at once, and calls the function when the first one has been answered.
     *
     * @param callable(): bool $during
     */
    private function storeAtOnce(string $prefix, int $count, callable $during): void
    {
        $clients = [];

        for ($i = 0; $i < $count; $i++) {
            $client = stream_socket_client((string) preg_replace('/^http/', 'tcp', (string) $this->server?->url()));
            self::assertIsResource($client);
            // A killed worker leaves some connections open without an answer.
            stream_set_timeout($client, 3);
            fwrite($client, "GET /store/{$prefix}-{$i} HTTP/1.0\r\n\r\n");
            $clients["{$prefix}-{$i}"] = $client;
        }

        foreach ($clients as $name => $client) {
            if (str_contains((string) stream_get_contents($client), ' 200 OK')) {
                $this->acknowledge($name);
            }

            self::assertTrue($name !== "{$prefix}-0" || $during());
            fclose($client);
        }
    }

    private function acknowledge(string $name): void
    {
        $this->acknowledged += ["{$name}-a" => true, "{$name}-b" => true, "{$name}-c" => true];
    }

    /** @return ?int the process that answered; null if no process did */
    private function store(string $name): ?int
    {
        [$status, $body] = Http::get("{$this->server?->url()}/store/{$name}");

        if ($status !== 200 || ! is_array($body) || ! is_int($body['pid'])) {
            return null;
        }

        // Between its first and last event, a request holds a file.
        self::assertSame(1, $body['held']);
        $this->pids[$body['pid']] = true;
        $this->acknowledge($name);

        return $body['pid'];
    }

    /** @return array<int, true> */
    private function pidsOf(string $prefix, int $count): array
    {
        $this->pids = [];
        $this->storeSome($prefix, $count);

        return $this->pids;
    }

    private function assertDelivered(): void
    {
        $flushed = $this->app->artisan('spool:flush');
        self::assertSame(0, $flushed->exit, $flushed->all());
        $rows = $this->rows();

        self::assertSame([], array_diff_assoc($rows, array_unique($rows)), 'Events that arrived twice.');
        self::assertSame([], array_diff(array_keys($this->acknowledged), $rows), 'Lost events.');
        self::assertGreaterThan(50, count($this->acknowledged));
    }

    /** @return list<string> */
    private function rows(): array
    {
        return array_map(
            static fn (array $row): string => is_string($row['event']) ? $row['event'] : '',
            $this->app->rows('select event from api_events order by event'),
        );
    }

    private function install(string $package): void
    {
        $this->app->config(
            'spool',
            "['path' => storage_path('app/private/buffer'), 'heartbeats' => false, 'autoflush' => 1, 'buckets' =>"
                ." ['api-events' => ['sink' => 'database', 'table' => 'api_events']]]",
        );
        $this->app->migrate();
        $this->app->write('routes/api.php', $this->app->read('routes/api.php').self::ROUTES);
        // Octane's own front controller loads vendor/autoload.php.
        $checkout = array_key_first(ClassLoader::getRegisteredLoaders());
        mkdir($this->app->path('vendor'));
        $this->app->write('vendor/autoload.php', <<<PHP
            <?php

            \$loader = require '{$checkout}/autoload.php';
            \$loader->addPsr4('Laravel\\\\Octane\\\\', '{$package}/src');
            \$loader->addPsr4('App\\\\', dirname(__DIR__).'/app');

            return \$loader;
            PHP);
        $this->app->write(
            'bootstrap/autoload.php',
            "<?php\n\nreturn require dirname(__DIR__).'/vendor/autoload.php';\n",
        );
        $this->app->write('bootstrap/providers.php', <<<'PHP'
            <?php

            return [Headroom\Laravel\HeadroomServiceProvider::class, Laravel\Octane\OctaneServiceProvider::class];
            PHP);
    }
}
