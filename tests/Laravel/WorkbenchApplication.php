<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Composer\Autoload\ClassLoader;
use Illuminate\Config\Repository;
use Illuminate\Console\Application as Artisan;
use Illuminate\Container\Container;
use Illuminate\Contracts\Console\Kernel as ConsoleKernel;
use Illuminate\Contracts\Http\Kernel as HttpKernel;
use Illuminate\Database\DatabaseManager;
use Illuminate\Filesystem\Filesystem;
use Illuminate\Foundation\Application;
use Illuminate\Foundation\Bootstrap\HandleExceptions;
use Illuminate\Http\Request;
use Illuminate\Support\Facades\Facade;
use LogicException;
use RuntimeException;
use Symfony\Component\HttpFoundation\Request as SymfonyRequest;
use Symfony\Component\HttpFoundation\Response;
use Symfony\Component\Process\Process;
use Throwable;

/**
 * The workbench application inside the test's process, in a storage directory of its own. Call shut() in tearDown().
 */
final readonly class WorkbenchApplication
{
    public const ROOT = __DIR__.'/../../workbench';

    /** Variables that a developer's shell may have and a test must not see. */
    private const UNWANTED = [
        'APP_KEY', 'CACHE_STORE', 'DB_DATABASE', 'DB_FOREIGN_KEYS', 'DB_HOST', 'DB_PASSWORD', 'DB_PORT', 'DB_SOCKET',
        'DB_URL', 'DB_USERNAME', 'LOG_CHANNEL', 'LOG_LEVEL', 'QUEUE_CONNECTION', 'REDIS_CLIENT', 'REDIS_DB',
        'REDIS_HOST',
        'REDIS_PASSWORD', 'REDIS_PORT', 'REDIS_PREFIX', 'REDIS_URL', 'REDIS_USERNAME', 'SESSION_DRIVER',
    ];

    /** @param array<string, string> $environment */
    private function __construct(
        public Application $app,
        public string $storage,
        private array $environment,
        private WorkbenchEnvironment $before,
    ) {}

    /** @param array<string, string> $environment */
    public static function boot(array $environment = []): self
    {
        $storage = sys_get_temp_dir().'/headroom-workbench-'.bin2hex(random_bytes(8));

        return self::start($storage, [
            'APP_ENV' => 'testing',
            'DB_CONNECTION' => 'sqlite',
            ...$environment,
            'WORKBENCH_STORAGE' => $storage,
        ]);
    }

    /** The same storage and environment in a new application, as the next request of a web server would have it. */
    public function reboot(): self
    {
        $this->leave();

        return self::start($this->storage, $this->environment);
    }

    public function shut(): void
    {
        $this->leave();
        (new Filesystem)->deleteDirectory($this->storage);
    }

    /**
     * Runs the migrations and empties the workbench's tables, which a server's database may hold from an earlier test.
     */
    public function migrate(): self
    {
        try {
            $this->artisan('migrate', ['--force' => true]);
            $this->artisan('workbench:reset');
        } catch (Throwable $failure) {
            // Called from setUp(), after whose failure PHPUnit calls no tearDown().
            $this->shut();

            throw $failure;
        }

        return $this;
    }

    /** @param array<string, mixed> $body */
    public function postJson(string $uri, array $body): Response
    {
        return $this->postRaw($uri, 'application/json', json_encode($body, JSON_THROW_ON_ERROR));
    }

    public function postRaw(string $uri, string $type, string $body): Response
    {
        return $this->send(SymfonyRequest::create($uri, 'POST', server: ['CONTENT_TYPE' => $type], content: $body));
    }

    /** @param array<string, string> $fields */
    public function postForm(string $uri, array $fields): Response
    {
        return $this->send(SymfonyRequest::create($uri, 'POST', $fields));
    }

    public function get(string $uri): Response
    {
        return $this->send(SymfonyRequest::create($uri));
    }

    /**
     * @param array<string, mixed> $parameters
     * @param int $exit what it is to end with
     * @return string what the command printed
     */
    public function artisan(string $command, array $parameters = [], int $exit = 0): string
    {
        $kernel = $this->app->make(ConsoleKernel::class);
        $status = $kernel->call($command, $parameters);
        $output = $kernel->output();

        return $status === $exit
            ? $output
            : throw new RuntimeException("artisan {$command} ended with {$status}:\n{$output}");
    }

    /** @return list<array<string, mixed>> every row without its auto-increment id, binary values as strings */
    public function rows(string $table): array
    {
        $rows = [];

        foreach ($this->app->make(
            DatabaseManager::class,
        )->connection()->query()->from($table)->orderBy('id')->get() as $row) {
            $columns = [];

            foreach (get_object_vars($row) as $column => $value) {
                $columns[(string) $column] = is_resource($value) ? stream_get_contents($value) : $value;
            }

            unset($columns['id']);
            $rows[] = $columns;
        }

        return $rows;
    }

    /**
     * @return string what `php workbench/artisan` printed in a process of its own, on the same storage,
     *     database and Laravel
     */
    public function artisanProcess(string ...$arguments): string
    {
        $vendor = array_key_first(ClassLoader::getRegisteredLoaders());
        $environment = ['HEADROOM_AUTOLOAD' => $vendor.'/autoload.php', ...$this->environment];
        $process = new Process(
            [PHP_BINARY, self::ROOT.'/artisan', ...array_values($arguments)],
            env: $environment,
            timeout: 60,
        );

        return $process->mustRun()->getOutput();
    }

    /** @return string what the application logged so far: why a request was answered with 500 */
    public function log(): string
    {
        $file = $this->storage.'/logs/laravel.log';

        return is_file($file) ? (string) file_get_contents($file) : '';
    }

    public function config(string $key): mixed
    {
        return $this->app->make(Repository::class)->get($key);
    }

    /** @param array<string, string> $environment */
    private static function start(string $storage, array $environment): self
    {
        $before = WorkbenchEnvironment::capture();
        WorkbenchEnvironment::set([...array_fill_keys(self::UNWANTED, null), ...$environment]);

        try {
            return new self(self::bootedApplication(), $storage, $environment, $before);
        } catch (Throwable $failure) {
            $before->restore();
            (new Filesystem)->deleteDirectory($storage);

            throw $failure;
        }
    }

    private static function bootedApplication(): Application
    {
        $app = require self::ROOT.'/bootstrap/app.php';

        if (! $app instanceof Application) {
            throw new LogicException(
                'workbench/bootstrap/app.php returned no application but '.get_debug_type($app).'.',
            );
        }

        $app->make(ConsoleKernel::class)->bootstrap();

        return $app;
    }

    public function send(SymfonyRequest $symfony): Response
    {
        $kernel = $this->app->make(HttpKernel::class);
        $request = Request::createFromBase($symfony);
        $response = $kernel->handle($request);
        $kernel->terminate($request, $response);

        return $response;
    }

    /** Takes back what booting an application left in the process: handlers, statics, environment. */
    private function leave(): void
    {
        foreach ($this->app->make(DatabaseManager::class)->getConnections() as $connection) {
            $connection->disconnect();
        }

        $this->app->flush();
        restore_error_handler();
        restore_exception_handler();
        HandleExceptions::forgetApp();
        Artisan::forgetBootstrappers();
        Facade::clearResolvedInstances();
        Facade::setFacadeApplication(null);
        Container::setInstance(null);
        $this->before->restore();
    }
}
