<?php

declare(strict_types=1);

namespace Headroom\Laravel;

use Headroom\Console\Spool\AdoptCommand;
use Headroom\Console\Spool\CleanCommand;
use Headroom\Console\Spool\DeadCommand;
use Headroom\Console\Spool\FlushCommand;
use Headroom\Console\Spool\ForgetCommand;
use Headroom\Console\Spool\HealthCommand;
use Headroom\Console\Spool\NewIdCommand;
use Headroom\Console\Spool\PauseCommand;
use Headroom\Console\Spool\PeekCommand;
use Headroom\Console\Spool\ReplayCommand;
use Headroom\Console\Spool\RestartCommand;
use Headroom\Console\Spool\ResumeCommand;
use Headroom\Console\Spool\StatusCommand;
use Headroom\Console\Spool\VerifyCommand;
use Headroom\Console\Spool\WorkCommand;
use Headroom\Core\HeadroomException;
use Headroom\Core\SystemClock;
use Headroom\Laravel\Console\BenchCommand;
use Headroom\Laravel\Console\BenchQueuesCommand;
use Headroom\Laravel\Console\BenchWorkCommand;
use Headroom\Laravel\Console\CollectorCommands;
use Headroom\Laravel\Console\DoctorCommands;
use Headroom\Laravel\Console\InstallCommand;
use Headroom\Laravel\Console\LoadCommands;
use Headroom\Laravel\Console\PreloadCommands;
use Headroom\Laravel\Console\UnitCommand;
use Headroom\Laravel\Database\AfterCommit;
use Headroom\Laravel\Database\NodeTable;
use Headroom\Laravel\Database\OpenConnections;
use Headroom\Laravel\Facades\FileSystemBuffer;
use Headroom\Laravel\Http\Charts\ChartRoutes;
use Headroom\Laravel\Log\SpoolChannel;
use Headroom\Laravel\Preload\SampledRequest;
use Headroom\Laravel\Redis\RedisClients;
use Headroom\Laravel\Schedule\Autoflush;
use Headroom\Laravel\Schedule\FlushSchedule;
use Headroom\Laravel\Sinks\LaravelSinkFactory;
use Headroom\Sink\Memory\Arrivals;
use Headroom\Spool\Append\AppendConfig;
use Headroom\Spool\Append\FailureNotifier;
use Headroom\Spool\Append\OverflowHandlers;
use Headroom\Spool\Buffer;
use Headroom\Spool\Compat\CallbackBuffer;
use Headroom\Spool\Compat\RedisBuffer;
use Headroom\Spool\Events\BufferRefused;
use Headroom\Spool\RedisStore\Client\Client;
use Headroom\Spool\Services\Backends;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\SpoolConfig;
use Headroom\Spool\Store\Writer;
use Headroom\Support\PhpRestrictions;
use Headroom\Support\UnableToCall;
use Headroom\Testing\BufferFake;
use Illuminate\Console\Application as Artisan;
use Illuminate\Console\Scheduling\Schedule;
use Illuminate\Container\Container;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Contracts\Events\Dispatcher;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Contracts\Foundation\CachesConfiguration;
use Illuminate\Contracts\Foundation\CachesRoutes;
use Illuminate\Database\ConnectionResolverInterface;
use Illuminate\Database\DatabaseManager;
use Illuminate\Foundation\Console\AboutCommand;
use Illuminate\Log\LogManager;
use Illuminate\Queue\Events\JobAttempted;
use Illuminate\Queue\Events\JobExceptionOccurred;
use Illuminate\Queue\Events\JobProcessed;
use Illuminate\Queue\Events\JobProcessing;
use Illuminate\Routing\Router;
use Illuminate\Support\ServiceProvider;
use Monolog\Logger;
use WeakReference;

/**
 * A request that buffers nothing pays for this file and no other of the package.
 */
final class HeadroomServiceProvider extends ServiceProvider
{
    private const COMMANDS = [
        InstallCommand::class,
        BenchCommand::class,
        BenchQueuesCommand::class,
        BenchWorkCommand::class,
        FlushCommand::class,
        WorkCommand::class,
        StatusCommand::class,
        CleanCommand::class,
        HealthCommand::class,
        PauseCommand::class,
        ResumeCommand::class,
        RestartCommand::class,
        UnitCommand::class,
        PeekCommand::class,
        VerifyCommand::class,
        AdoptCommand::class,
        DeadCommand::class,
        ReplayCommand::class,
        NewIdCommand::class,
        ForgetCommand::class,
    ];

    /** SAPIs of which a request begins with no class of the last one. */
    private const ONE_REQUEST = ['fpm-fcgi', 'cgi-fcgi', 'apache2handler', 'litespeed', 'cli-server'];

    /** A queue job, like a request, is sure to end. */
    private bool $isInJob = false;

    /** One for who buffers and who flushes, so that both mean the same directory. */
    private ?AppendConfig $settings = null;

    private ?OpenBuffers $keptBuffers = null;

    private ?AfterCommit $afterCommit = null;

    public function register(): void
    {
        // mergeConfigFrom() asks the same, once for each.
        if (! ($this->app instanceof CachesConfiguration && $this->app->configurationIsCached())) {
            $this->mergeConfigFrom(dirname(__DIR__, 2).'/config/spool.php', 'spool');
            $this->mergeConfigFrom(dirname(__DIR__, 2).'/config/headroom.php', 'headroom');
        }

        $this->app->singleton(Buffer::class, $this->buffer(...));
        $this->app->singleton(Arrivals::class);
        $this->app->singleton(SpoolServices::class, fn (Application $app): SpoolServices => new SpoolServices(
            fn (): AppendConfig => $this->settings($app),
            self::connections($app),
            new FailureNotifier(
                static fn (): LogManager => $app->make(LogManager::class),
                static function (BufferRefused $event) use ($app): void {
                    $app->make(Dispatcher::class)->dispatch($event);
                },
            ),
            shared: static fn (): Buffer => $app->make(Buffer::class),
            resting: $app->isDownForMaintenance(...),
            // Laravel reads the environment only where it finds no cache.
            program: static fn (string $variables): string => ($app instanceof CachesConfiguration && $app->configurationIsCached()
                ? 'APP_CONFIG_CACHE=none ' : '')."{$variables} php artisan",
        ));
        $this->app->singleton(RedisBuffer::class, static fn (Application $app): RedisBuffer => new RedisBuffer(
            $app->make(SpoolServices::class),
            static fn (string $bucket): ?Buffer => $app->bound(BufferFake::class) && $app->make(BufferFake::class)->isFaked($bucket) ? $app->make(Buffer::class) : null,
        ));
        $this->app->singleton(FileSystemBuffer::class, static fn (Application $app): CallbackBuffer => new CallbackBuffer($app->make(SpoolServices::class)));
        // Not callAfterResolving(): each thing that the application makes is compared with all types that anybody waits for in that way.
        // Static: flush() keeps an application's extenders, and this provider would hold the application by them.
        $this->app->extend('log', static function (mixed $log): mixed {
            // The inner one is not static: Laravel binds it to the manager.
            return $log instanceof LogManager ? $log->extend('spool', fn (Application $app, array $config): Logger => SpoolChannel::logger($app, $config)) : $log;
        });
    }

    private static function connections(Application $app): Backends
    {
        return new Backends(
            static fn (): LaravelSinkFactory => new LaravelSinkFactory($app->make(ConnectionResolverInterface::class), new SystemClock, $app),
            static fn (string $name): Client => (new RedisClients($app, $app->make(Repository::class)))->client($name),
            static fn (?string $connection): NodeTable => new NodeTable($app->make(DatabaseManager::class), $connection),
            // A test's process is not the worker's to multiply, nor its database in memory to be closed.
            $app->runningUnitTests() ? null : (new OpenConnections($app))->close(...),
        );
    }

    /** What a request with one event goes through: docs/adr/0005. */
    private function buffer(Application $app): Buffer
    {
        $buffer = Buffer::onDisk($this->settings($app), detours: fn (): OverflowHandlers => $this->detours($app), remote: static fn (string $bucket): Writer => self::runtime($app)->writePath()->redisWriter($bucket));

        if (! $app->runningInConsole()) {
            // Held weakly, so that the buffer, and what it keeps, ends with the application that made it.
            $weak = WeakReference::create($buffer);

            $buffer->keep(fn () => $this->keptBuffers()->add($weak->get()));

            if ($this->settings($app)->isAutoflushed() && Autoflush::isPossible()) {
                $app->terminating(static fn () => (new Autoflush(self::runtime($app)))->run());
            }
        } elseif ($this->isInJob) {
            $buffer->keep();
        }

        return $buffer;
    }

    /** Through the application that serves this request, whose transaction a sink may have to join. */
    private function detours(Application $app): OverflowHandlers
    {
        return self::runtime($app)->writePath()->detours(($this->afterCommit ??= new AfterCommit)->add(...));
    }

    private static function runtime(Application $app): SpoolServices
    {
        $serving = Container::getInstance();

        return $serving->bound(SpoolServices::class) ? $serving->make(SpoolServices::class) : $app->make(SpoolServices::class);
    }

    /** From the second event of a request on: docs/adr/0005. */
    private function keptBuffers(): OpenBuffers
    {
        return $this->keptBuffers ??= new OpenBuffers($this->app->make(Dispatcher::class));
    }

    private function settings(Application $app): AppendConfig
    {
        return $this->settings ??= self::read($app);
    }

    private static function read(Application $app): AppendConfig
    {
        return AppendConfig::fromArray((array) $app->make(Repository::class)->get('spool', []));
    }

    public function boot(): void
    {
        $config = (array) $this->app->make(Repository::class)->get('headroom', []);
        $this->showCharts((array) ($config['charts'] ?? []));

        if ($this->app->runningInConsole()) {
            $this->commands(self::COMMANDS);
            $this->otherCommands();
            $this->publish();
            $this->followJobs();

            // `php artisan reload` came with Laravel 12.
            if (in_array('reloads', get_class_methods($this), true)) {
                $this->reloads('spool:restart', 'spool');
            }

            // From Laravel 11.27 on.
            if (in_array('optimizes', get_class_methods($this), true)) {
                $this->optimizes('headroom:lane:cache', 'headroom:lane:clear', 'headroom lane');
            }

            $this->callAfterResolving(Schedule::class, fn (Schedule $schedule) => $this->schedule($schedule));
            AboutCommand::add('Headroom', fn (): array => $this->about());
        }

        $this->observe(((array) ($config['preload'] ?? []))['sample'] ?? 0);
    }

    /** Where a process keeps its classes from one request to the next, they tell nothing about one request. */
    private function observe(mixed $every): void
    {
        // Site::MARK, by its name: to ask the class would load it with each request.
        if (is_numeric($every) && $every >= 1 && in_array(PHP_SAPI, self::ONE_REQUEST, true) && ! isset($_SERVER['HEADROOM_PRIVATE']) && mt_rand(1, (int) $every) === 1) {
            $app = $this->app;
            // Twice, so as to come after what others have to do then, which uses classes too.
            $app->terminating(static fn () => $app->terminating(static fn () => (new SampledRequest($app))->write()));
        }
    }

    /** @param array<array-key, mixed> $config */
    private function showCharts(array $config): void
    {
        // Whether routes are cached is asked last: that looks at the disk.
        if (! in_array($config['enabled'] ?? false, [false, 0, '0', ''], true) && ! ($this->app instanceof CachesRoutes && $this->app->routesAreCached())) {
            ChartRoutes::register($this->app->make(Router::class), $config);
        }
    }

    private function otherCommands(): void
    {
        Artisan::starting(function (Artisan $artisan): void {
            foreach ([CollectorCommands::class, DoctorCommands::class, PreloadCommands::class, LoadCommands::class] as $room) {
                try {
                    $artisan->addCommands(PhpRestrictions::within((new $room($this->app))->all(...)));
                } catch (UnableToCall) {
                    // The application's own commands go on; docs/requirements.md says which functions these need.
                }
            }
        });
    }

    private function publish(): void
    {
        $root = dirname(__DIR__, 2);

        $this->publishes(["{$root}/config/spool.php" => $this->app->configPath('spool.php')], ['spool', 'spool-config']);
        $this->publishes(["{$root}/config/headroom.php" => $this->app->configPath('headroom.php')], ['headroom', 'headroom-config']);
        $this->publishesMigrations(["{$root}/database/migrations" => $this->app->databasePath('migrations')], ['spool', 'spool-migrations']);
    }

    private function followJobs(): void
    {
        $events = $this->app->make(Dispatcher::class);
        $events->listen(JobProcessing::class, fn () => $this->enterJob());
        // A job whose failed() throws is neither processed nor reported as an exception.
        $events->listen([JobProcessed::class, JobExceptionOccurred::class, JobAttempted::class], fn () => $this->leaveJob());
    }

    private function enterJob(): void
    {
        $this->isInJob = true;

        if ($this->app->resolved(Buffer::class)) {
            $this->app->make(Buffer::class)->keep();
        }
    }

    private function leaveJob(): void
    {
        $this->isInJob = false;

        if ($this->app->resolved(Buffer::class)) {
            $this->app->make(Buffer::class)->release();
        }
    }

    private function schedule(Schedule $schedule): void
    {
        if (in_array($this->app->make(Repository::class)->get('spool.schedule', true), [false, 0, '0'], true)) {
            return;
        }

        try {
            // Not kept: routes/console.php asks for the schedule at boot, and a test sets a path of its own after that.
            (new FlushSchedule($schedule))->register(self::read($this->app)->whole());
        } catch (HeadroomException) {
            // Whatever it is that is wrong, other tasks go on, and this one says it each minute.
            (new FlushSchedule($schedule))->eachMinute();
        }
    }

    /** @return array<string, string> */
    private function about(): array
    {
        try {
            $config = PhpRestrictions::within(fn (): SpoolConfig => $this->app->make(SpoolServices::class)->config());
        } catch (HeadroomException $e) {
            return ['Configuration' => "{$e->getMessage()} See spool:health."];
        }

        return [
            'Buffer' => $config->enabled() ? $config->path : "turned off; what waits in {$config->path} is still flushed",
            'Buckets' => $config->names() === [] ? 'none declared' : implode(', ', $config->names()),
            'Flush' => ($config->schedule() ? FlushSchedule::words($config) : 'not scheduled').($config->autoflush() === null ? '' : ", and after a response every {$config->autoflush()} s at most"),
        ];
    }
}
