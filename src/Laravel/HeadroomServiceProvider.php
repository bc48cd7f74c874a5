<?php

declare(strict_types=1);

namespace Headroom\Laravel;

use Headroom\Core\HeadroomException;
use Headroom\Core\SystemClock;
use Headroom\Laravel\Alerts\AlertServices;
use Headroom\Laravel\Console\AboutSection;
use Headroom\Laravel\Console\ArtisanCommands;
use Headroom\Laravel\Database\AfterCommit;
use Headroom\Laravel\Database\NodeTable;
use Headroom\Laravel\Database\OpenConnections;
use Headroom\Laravel\Facades\FileSystemBuffer;
use Headroom\Laravel\Http\Charts\ChartRoutes;
use Headroom\Laravel\Http\Dashboard\DashboardRoutes;
use Headroom\Laravel\Http\SpoolHealth;
use Headroom\Laravel\Log\SpoolChannel;
use Headroom\Laravel\Preload\SampledRequest;
use Headroom\Laravel\Pulse\BufferCard;
use Headroom\Laravel\Redis\RedisClients;
use Headroom\Laravel\Schedule\Autoflush;
use Headroom\Laravel\Schedule\FlushSchedule;
use Headroom\Laravel\Sinks\LaravelSinkFactory;
use Headroom\Sink\Memory\Arrivals;
use Headroom\Spool\Append\Notifier;
use Headroom\Spool\Append\OverflowHandlers;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\Buffer;
use Headroom\Spool\Compat\CallbackBuffer;
use Headroom\Spool\Compat\RedisBuffer;
use Headroom\Spool\InvalidBucket;
use Headroom\Spool\RedisStore\Client\Client;
use Headroom\Spool\Services\Backends;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\Store\Writer;
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
use Illuminate\Events\Dispatcher as LaravelDispatcher;
use Illuminate\Foundation\Console\AboutCommand;
use Illuminate\Foundation\Events\DiagnosingHealth;
use Illuminate\Http\Request;
use Illuminate\Log\LogManager;
use Illuminate\Queue\Events\JobAttempted;
use Illuminate\Queue\Events\JobExceptionOccurred;
use Illuminate\Queue\Events\JobProcessed;
use Illuminate\Queue\Events\JobProcessing;
use Illuminate\Routing\Router;
use Illuminate\Support\ServiceProvider;
use Laravel\Pulse\Pulse;
use Livewire\LivewireManager;
use Monolog\Logger;
use WeakReference;

/**
 * Registers the package. A request that buffers nothing loads only this file of the package.
 */
final class HeadroomServiceProvider extends ServiceProvider
{
    /** SAPIs that load all classes again for each request. */
    private const ONE_REQUEST = ['fpm-fcgi', 'cgi-fcgi', 'apache2handler', 'litespeed', 'cli-server'];

    /** True while a queue job runs. A job ends, as a request does, and then its open buffers are released. */
    private bool $isInJob = false;

    /** One object for appends and flushes, so that both use the same directory. */
    private ?AppendConfig $settings = null;

    private ?OpenBuffers $openBuffers = null;

    private ?AfterCommit $afterCommit = null;

    public function register(): void
    {
        // mergeConfigFrom() checks this too, once per call.
        if (! ($this->app instanceof CachesConfiguration && $this->app->configurationIsCached())) {
            $this->mergeConfigFrom(dirname(__DIR__, 2).'/config/spool.php', 'spool');
            $this->mergeConfigFrom(dirname(__DIR__, 2).'/config/headroom.php', 'headroom');
        }

        $this->app->singleton(Buffer::class, $this->buffer(...));
        $this->app->singleton(Arrivals::class);
        $this->app->singleton(SpoolServices::class, fn (Application $app): SpoolServices => new SpoolServices(
            fn (): AppendConfig => $this->settings($app),
            self::connections($app),
            new Notifier(
                static fn (): LogManager => $app->make(LogManager::class),
                static fn (object $event) => (new EventListeners($app))->call($event),
                static function (string $event) use ($app): bool {
                    $events = $app->make(Dispatcher::class);

                    // A dispatcher of another class, such as that of Event::fake(), also takes events without a
                    // listener.
                    return ! $events instanceof LaravelDispatcher || $events->hasListeners($event);
                },
            ),
            shared: static fn (): Buffer => $app->make(Buffer::class),
            isInMaintenance: $app->isDownForMaintenance(...),
            // Laravel ignores these environment variables if the configuration is cached, so the command line turns the
            // cache off.
            program: static fn (string $variables): string
                => ($app instanceof CachesConfiguration && $app->configurationIsCached()
                    ? 'APP_CONFIG_CACHE=none ' : '')."{$variables} php artisan",
            alertCommand: static fn (): ?array => AlertServices::command($app),
        ));
        $this->app->singleton(RedisBuffer::class, static fn (Application $app): RedisBuffer => new RedisBuffer(
            $app->make(SpoolServices::class),
            static fn (string $bucket): ?Buffer => $app->bound(BufferFake::class)
                    && $app->make(BufferFake::class)->isFaked($bucket)
                ? $app->make(Buffer::class)
                : null,
        ));
        $this->app->singleton(
            FileSystemBuffer::class,
            static fn (Application $app): CallbackBuffer => new CallbackBuffer($app->make(SpoolServices::class)),
        );
        // callAfterResolving() would cost more: the container compares each object that it makes with all types
        // registered that way. The closure is static, because flush() of the container keeps extenders, and a bound
        // closure would keep the application in memory.
        $this->app->extend('log', static function (mixed $log): mixed {
            // This closure is not static, because Laravel binds it to the manager.
            return $log instanceof LogManager
                ? $log->extend(
                    'spool',
                    fn (Application $app, array $config): Logger => SpoolChannel::logger($app, $config),
                )
                : $log;
        });
    }

    private static function connections(Application $app): Backends
    {
        return new Backends(
            static fn (): LaravelSinkFactory
                => new LaravelSinkFactory($app->make(ConnectionResolverInterface::class), new SystemClock, $app),
            static fn (string $name): Client => (new RedisClients($app, $app->make(Repository::class)))->client($name),
            static fn (?string $connection): NodeTable
                => new NodeTable($app->make(DatabaseManager::class), $connection),
            // Null in tests: the worker must not fork a test process or close its in-memory database.
            $app->runningUnitTests() ? null : (new OpenConnections($app))->close(...),
        );
    }

    /** The path of a request with one event: docs/adr/0005. */
    private function buffer(Application $app): Buffer
    {
        $buffer = Buffer::onDisk(
            $this->settings($app),
            overflow: fn (): OverflowHandlers => $this->overflowHandlers($app),
            remote: static fn (string $bucket): Writer => self::spool($app)->writerFactory()->redisWriter($bucket),
            undeclared: static fn (string $bucket) => self::undeclared($app, $bucket),
            late: static fn (string $bucket, string $oldest)
                => self::spool($app)->writerFactory()->noteLate($bucket, $oldest),
        );

        if (! $app->runningInConsole()) {
            // Weak, so that the buffer and its open files end with the application that made it.
            $weak = WeakReference::create($buffer);

            $buffer->keepSegmentsOpen(fn () => $this->openBuffers()->add($weak->get()));

            if ($this->settings($app)->isAutoflushed() && Autoflush::isPossible()) {
                $app->terminating(static fn () => (new Autoflush(self::spool($app)))->run());
            }
        } elseif ($this->isInJob) {
            $buffer->keepSegmentsOpen();
        }

        return $buffer;
    }

    /** @throws InvalidBucket in development and tests: the name may be mistyped */
    private static function undeclared(Application $app, string $bucket): void
    {
        $spool = self::spool($app);

        if (in_array($app->environment(), ['local', 'testing'], true)) {
            throw InvalidBucket::unexpected($bucket, $spool->settings()->whole()->names());
        }

        $spool->writerFactory()->noteUndeclared($bucket);
    }

    /** Uses the application that serves this request, because a sink may have to join its transaction. */
    private function overflowHandlers(Application $app): OverflowHandlers
    {
        return self::spool($app)->writerFactory()->overflowHandlers(($this->afterCommit ??= new AfterCommit)->add(...));
    }

    private static function spool(Application $app): SpoolServices
    {
        $serving = Container::getInstance();

        return $serving->bound(SpoolServices::class)
            ? $serving->make(SpoolServices::class)
            : $app->make(SpoolServices::class);
    }

    /** Used from the second event of a request on: docs/adr/0005. */
    private function openBuffers(): OpenBuffers
    {
        return $this->openBuffers ??= new OpenBuffers($this->app->make(Dispatcher::class));
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
        $repository = $this->app->make(Repository::class);
        $config = (array) $repository->get('headroom', []);
        $this->registerPages($config);

        if (! in_array(((array) $repository->get('spool'))['health_route'] ?? false, [false, 0, '0', ''], true)) {
            $this->app->make(Dispatcher::class)->listen(
                DiagnosingHealth::class,
                static fn () => Container::getInstance()->make(SpoolHealth::class)->deliversOrFail(),
            );
        }

        if ($this->app->runningInConsole()) {
            Artisan::starting(static function (Artisan $artisan): void {
                $artisan->addCommands(ArtisanCommands::of($artisan->getLaravel()));
            });
            $this->publish();
            $this->listenToJobs();

            // `php artisan reload` exists since Laravel 12.
            if (in_array('reloads', get_class_methods($this), true)) {
                $this->reloads('spool:restart', 'spool');
            }

            // optimizes() exists since Laravel 11.27.
            if (in_array('optimizes', get_class_methods($this), true)) {
                $this->optimizes('headroom:collect:cache', 'headroom:collect:cache:clear', 'headroom collector');
            }

            $this->callAfterResolving(Schedule::class, fn (Schedule $schedule) => $this->schedule($schedule));
            AboutCommand::add(
                'Headroom',
                fn (): array => (new AboutSection($this->app->make(SpoolServices::class)))->toArray(),
            );
        }

        $this->sampleRequest(((array) ($config['preload'] ?? []))['sample'] ?? 0);

        if ($this->app->bound(Pulse::class)) {
            $this->callAfterResolving(
                'livewire',
                static fn (LivewireManager $livewire) => $livewire->component('headroom.buffer', BufferCard::class),
            );
        }
    }

    /**
     * In a process that keeps its classes between requests, the loaded classes do not show what one request has used.
     */
    private function sampleRequest(mixed $every): void
    {
        // The value of Site::MARK. Using the constant would load that class in each request.
        if (
            is_numeric($every)
            && $every >= 1
            && in_array(PHP_SAPI, self::ONE_REQUEST, true)
            && ! isset($_SERVER['HEADROOM_PRIVATE'])
            && mt_rand(1, (int) $every) === 1
        ) {
            $app = $this->app;
            // Nested, so that the sample comes after other terminating callbacks, which also use classes.
            $app->terminating(static fn () => $app->terminating(static fn () => (new SampledRequest($app))->write()));
        }
    }

    /** @param array<array-key, mixed> $config */
    private function registerPages(array $config): void
    {
        [$charts, $dashboard] = [(array) ($config['charts'] ?? []), (array) ($config['dashboard'] ?? [])];
        $hasCharts = ! in_array($charts['enabled'] ?? false, [false, 0, '0', ''], true);
        $hasDashboard = ! in_array($dashboard['enabled'] ?? true, [false, 0, '0', ''], true)
            && $this->mayBeAt($dashboard['path'] ?? 'headroom');

        // The route cache comes last, because checking it reads the disk.
        if (($hasCharts || $hasDashboard) && ! ($this->app instanceof CachesRoutes && $this->app->routesAreCached())) {
            $router = $this->app->make(Router::class);
            $hasCharts ? ChartRoutes::register($router, $charts) : null;
            $hasDashboard ? DashboardRoutes::register($router, $dashboard) : null;
        }
    }

    /** A process of one request registers no route for another path, so that it loads no file for it. */
    private function mayBeAt(mixed $path): bool
    {
        return ! in_array(PHP_SAPI, self::ONE_REQUEST, true) || ! is_string($path)
            || ! $this->app->bound(Request::class)
            || str_starts_with($this->app->make(Request::class)->getPathInfo().'/', '/'.trim($path, '/').'/');
    }

    private function publish(): void
    {
        $root = dirname(__DIR__, 2);

        $this->publishes(
            ["{$root}/config/spool.php" => $this->app->configPath('spool.php')],
            ['spool', 'spool-config'],
        );
        $this->publishes(
            ["{$root}/config/headroom.php" => $this->app->configPath('headroom.php')],
            ['headroom', 'headroom-config'],
        );
        $this->publishesMigrations(
            ["{$root}/database/migrations" => $this->app->databasePath('migrations')],
            ['spool', 'spool-migrations'],
        );
    }

    private function listenToJobs(): void
    {
        $events = $this->app->make(Dispatcher::class);
        $events->listen(JobProcessing::class, fn () => $this->enterJob());
        // If failed() of a job throws, Laravel reports neither JobProcessed nor JobExceptionOccurred.
        $events->listen(
            [JobProcessed::class, JobExceptionOccurred::class, JobAttempted::class],
            fn () => $this->leaveJob(),
        );
    }

    private function enterJob(): void
    {
        $this->isInJob = true;

        if ($this->app->resolved(Buffer::class)) {
            $this->app->make(Buffer::class)->keepSegmentsOpen();
        }
    }

    private function leaveJob(): void
    {
        $this->isInJob = false;

        if ($this->app->resolved(Buffer::class)) {
            $this->app->make(Buffer::class)->closeSegments();
        }
    }

    private function schedule(Schedule $schedule): void
    {
        // A scheduler that delivers nothing still notices that nothing does.
        if ((new AlertServices($this->app, $this->app->make(SpoolServices::class)))->isUsed()) {
            (new FlushSchedule($schedule))->alerts();
        }

        if (in_array($this->app->make(Repository::class)->get('spool.schedule', true), [false, 0, '0'], true)) {
            return;
        }

        try {
            // Do not cache these settings: routes/console.php resolves the schedule at boot, and a test may set its
            // path after that.
            (new FlushSchedule($schedule))->register(self::read($this->app)->whole());
        } catch (HeadroomException) {
            // Other tasks still run, and spool:flush reports the invalid configuration each minute.
            (new FlushSchedule($schedule))->eachMinute();
        }
    }
}
