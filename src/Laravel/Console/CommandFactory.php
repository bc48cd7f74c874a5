<?php

declare(strict_types=1);

namespace Headroom\Laravel\Console;

use Closure;
use Headroom\Collector\CollectorConfig;
use Headroom\Collector\Handler;
use Headroom\Collector\HttpClient;
use Headroom\Collector\Ingest\Authentication\ApiKeyStore;
use Headroom\Collector\Sapi\CompiledIngest;
use Headroom\Collector\Server\Collector;
use Headroom\Console\Collector\CollectCommand;
use Headroom\Console\Collector\CollectConfigCommand;
use Headroom\Console\Collector\CollectKeyCommand;
use Headroom\Console\Collector\CollectPublishCommand;
use Headroom\Console\Collector\CollectReloadCommand;
use Headroom\Console\Collector\CollectStatusCommand;
use Headroom\Console\Collector\CollectStopCommand;
use Headroom\Console\Collector\CollectWorkerCommand;
use Headroom\Console\Collector\IngestFactory;
use Headroom\Console\Collector\PublishedFiles;
use Headroom\Console\CurrentProgram;
use Headroom\Console\Doctor\DoctorCommand;
use Headroom\Console\Doctor\DoctorTopCommand;
use Headroom\Console\Doctor\FactProviders;
use Headroom\Console\Load\LoadCommand;
use Headroom\Console\Load\LoadWorkerCommand;
use Headroom\Console\Preload\BenchPreloadCommand;
use Headroom\Console\Preload\PreloadCommand;
use Headroom\Console\Preload\PreloadContext as PreloadedApplication;
use Headroom\Console\Preload\PreloadStatusCommand;
use Headroom\Core\SystemClock;
use Headroom\Doctor\Application\Application as ApplicationFacts;
use Headroom\Doctor\Application\MissingClasses;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Database\DatabaseWindow;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Laravel\BlockingRoutes;
use Headroom\Doctor\Runner\CheckList;
use Headroom\Doctor\UnderLoad\Samplers\DatabaseSampler;
use Headroom\Laravel\Doctor\ApplicationDatabase;
use Headroom\Laravel\Doctor\ApplicationProbe;
use Headroom\Laravel\Doctor\BufferCheck;
use Headroom\Laravel\Doctor\BufferFindings;
use Headroom\Laravel\Doctor\CustomChecks;
use Headroom\Laravel\Doctor\DoctorRun;
use Headroom\Laravel\Preload\PreloadSettings;
use Headroom\Laravel\Preload\RoutePages;
use Headroom\Load\Executor\LoadGenerator;
use Headroom\Load\Metrics\ProcessCpuTime;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Support\PhpRestrictions;
use Illuminate\Console\Command as IlluminateCommand;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Contracts\Foundation\Application;
use Symfony\Component\Console\Command\Command;

/**
 * Builds a command when artisan calls it, with values that only the application has.
 *
 * @internal
 */
final readonly class CommandFactory
{
    public function __construct(private Application $app) {}

    /** @param class-string<Command> $class */
    public function make(string $class): Command
    {
        $command = PhpRestrictions::within(fn (): Command => $this->build($class));

        // Laravel does this for a command that is added as an object, and not for one behind a LazyCommand.
        if ($command instanceof IlluminateCommand) {
            $command->setLaravel($this->app);
        }

        return $command;
    }

    /** @param class-string<Command> $class */
    private function build(string $class): Command
    {
        $clock = new SystemClock;

        return match ($class) {
            CollectCommand::class, CollectWorkerCommand::class, CollectReloadCommand::class, CollectStopCommand::class,
            CollectStatusCommand::class, CollectConfigCommand::class => new $class($this->collector()),
            CollectKeyCommand::class => new CollectKeyCommand($this->keys(...), $clock),
            CollectPublishCommand::class,
            CollectCacheCommand::class => new $class($this->publishedFiles(), $this->compilation(...)),
            CollectCacheClearCommand::class => new CollectCacheClearCommand($this->publishedFiles()),
            DoctorCommand::class => new DoctorCommand(
                fn (): CheckList => (new CustomChecks($this->app))->addTo(BufferCheck::addTo(CheckList::ofPackage())),
                $this->facts(...),
                $clock,
                [...$this->artisan(), 'headroom:load'],
                (new DoctorRun($this->app, $clock))->done(...),
            ),
            DoctorTopCommand::class => new DoctorTopCommand($this->facts(...), $clock),
            PreloadCommand::class => new PreloadCommand($this->preloaded(), $this->facts(...), $clock),
            PreloadStatusCommand::class => new PreloadStatusCommand($this->preloaded(), $this->facts(...)),
            BenchPreloadCommand::class => new BenchPreloadCommand($this->preloaded(), $clock),
            LoadCommand::class => new LoadCommand($this->generator(), $clock, [
                ...$this->artisan(), 'headroom:load:worker',
            ]),
            LoadWorkerCommand::class => new LoadWorkerCommand($this->generator(), $clock),
            default => $this->app->make($class),
        };
    }

    /**
     * @return list<string> the command line of artisan; the running script is not used, because it is PHPUnit in a test
     */
    private function artisan(): array
    {
        return CurrentProgram::command($this->app->basePath('artisan'));
    }

    private function collector(): Collector
    {
        return new Collector(
            fn (): CollectorConfig => CollectorConfig::fromArray(
                (array) $this->app->make(Repository::class)->get('headroom.collector', []),
            ),
            $this->app->make(SpoolServices::class),
            CurrentProgram::command(),
            CurrentProgram::directory(),
            ['worker' => 'headroom:collect:worker', 'flusher' => 'spool:work'],
            IngestFactory::of(...),
            $this->handler(...),
        );
    }

    /** @param class-string<Handler> $class */
    private function handler(string $class, HttpClient $calls): object
    {
        $this->app->instance(HttpClient::class, $calls);

        return $this->app->make($class);
    }

    private function keys(): ApiKeyStore
    {
        $spool = $this->app->make(SpoolServices::class);
        $config = $spool->config();

        return ApiKeyStore::below($config->path, $spool->clock(), $config->directoryMode(), $config->fileMode());
    }

    private function publishedFiles(): PublishedFiles
    {
        return new PublishedFiles(
            $this->app->basePath(),
            $this->app->bootstrapPath('cache/headroom-ingest.php'),
            'php artisan headroom:collect:publish',
        );
    }

    private function compilation(): CompiledIngest
    {
        return CompiledIngest::of($this->collector()->config(), $this->app->make(SpoolServices::class));
    }

    private function generator(): LoadGenerator
    {
        return new LoadGenerator(new SystemClock, new ProcessCpuTime);
    }

    private function preloaded(): PreloadedApplication
    {
        $real = PhpRestrictions::call('realpath', $this->app->basePath());

        return new PreloadedApplication(
            is_string($real) ? $real : $this->app->basePath(),
            fn (): array => PreloadSettings::of($this->app),
            fn (): array => RoutePages::of($this->app),
        );
    }

    /** @param array<class-string, Closure(Facts): object> $probes take precedence over those of the application */
    private function facts(array $probes): Facts
    {
        return new Facts($probes + [
            ApplicationFacts::class => fn (): ApplicationFacts => (new ApplicationProbe($this->app))->facts(),
            DatabaseServer::class => fn (): DatabaseServer => (new ApplicationDatabase($this->app))->server(),
            DatabaseWindow::class => fn (Facts $facts): DatabaseWindow
                => (new ApplicationDatabase($this->app))->window($facts),
            BufferFindings::class => fn (): BufferFindings
                => BufferFindings::of($this->app->make(SpoolServices::class)),
            BlockingRoutes::class => fn (): BlockingRoutes => (new ApplicationProbe($this->app))->blockingRoutes(),
            DatabaseSampler::class => fn (Facts $facts): DatabaseSampler
                => (new ApplicationDatabase($this->app))->sampler($facts),
            MissingClasses::class => static fn (): MissingClasses => MissingClasses::ofThisProcess(),
        ] + FactProviders::ofThisMachine());
    }
}
