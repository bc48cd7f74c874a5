<?php

declare(strict_types=1);

namespace Headroom\Laravel\Console;

use Closure;
use Headroom\Collector\Collector;
use Headroom\Collector\CollectorConfig;
use Headroom\Collector\Handler;
use Headroom\Collector\HttpClient;
use Headroom\Collector\Intake\Keys\KeyFile;
use Headroom\Collector\Lane\Compilation;
use Headroom\Console\Collector\CollectCommand;
use Headroom\Console\Collector\CollectorStatusCommand;
use Headroom\Console\Collector\ConfigCommand;
use Headroom\Console\Collector\IntakeFactory;
use Headroom\Console\Collector\KeyCommand;
use Headroom\Console\Collector\LaneCommand;
use Headroom\Console\Collector\LaneFiles;
use Headroom\Console\Collector\ReloadCommand;
use Headroom\Console\Collector\StopCommand;
use Headroom\Console\Collector\WorkerCommand;
use Headroom\Console\Doctor\DoctorCommand;
use Headroom\Console\Doctor\FactProviders;
use Headroom\Console\Doctor\TopCommand;
use Headroom\Console\Load\LoadCommand;
use Headroom\Console\Load\ShareCommand;
use Headroom\Console\Preload\Application as PreloadedApplication;
use Headroom\Console\Preload\BenchCommand;
use Headroom\Console\Preload\GenerateCommand;
use Headroom\Console\Preload\PreloadStatusCommand;
use Headroom\Console\Preload\SharedPools;
use Headroom\Console\SelfCommand;
use Headroom\Core\SystemClock;
use Headroom\Doctor\Application\Application as ApplicationFacts;
use Headroom\Doctor\Application\MissedClasses;
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
use Headroom\Laravel\Preload\PreloadSettings;
use Headroom\Laravel\Preload\RoutePages;
use Headroom\Load\Generator;
use Headroom\Load\ProcessCpuTime;
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
            CollectCommand::class, WorkerCommand::class, ReloadCommand::class, StopCommand::class,
            CollectorStatusCommand::class, ConfigCommand::class => new $class($this->collector()),
            KeyCommand::class => new KeyCommand($this->keys(...), $clock),
            LaneCommand::class, LaneCacheCommand::class => new $class($this->lane(), $this->compilation(...)),
            LaneClearCommand::class => new LaneClearCommand($this->lane()),
            DoctorCommand::class => new DoctorCommand(
                fn (): CheckList => (new CustomChecks($this->app))->addTo(BufferCheck::addTo(CheckList::ofPackage())),
                $this->facts(...),
                $clock,
                [...$this->artisan(), 'headroom:load'],
            ),
            TopCommand::class => new TopCommand($this->facts(...), $clock),
            GenerateCommand::class => new GenerateCommand(
                $this->preloaded(),
                new SharedPools($this->facts(...)),
                $clock,
            ),
            PreloadStatusCommand::class => new PreloadStatusCommand($this->preloaded(), $this->facts(...)),
            BenchCommand::class => new BenchCommand($this->preloaded(), $clock),
            LoadCommand::class => new LoadCommand($this->generator(), $clock, [
                ...$this->artisan(), 'headroom:load:share',
            ]),
            ShareCommand::class => new ShareCommand($this->generator(), $clock),
            default => $this->app->make($class),
        };
    }

    /**
     * @return list<string> the command line of artisan; the running script is not used, because it is PHPUnit in a test
     */
    private function artisan(): array
    {
        return SelfCommand::command($this->app->basePath('artisan'));
    }

    private function collector(): Collector
    {
        return new Collector(
            fn (): CollectorConfig => CollectorConfig::fromArray(
                (array) $this->app->make(Repository::class)->get('headroom.collector', []),
            ),
            $this->app->make(SpoolServices::class),
            SelfCommand::command(),
            SelfCommand::directory(),
            ['worker' => 'headroom:collect:worker', 'flusher' => 'spool:work'],
            IntakeFactory::of(...),
            $this->handler(...),
        );
    }

    /** @param class-string<Handler> $class */
    private function handler(string $class, HttpClient $calls): object
    {
        $this->app->instance(HttpClient::class, $calls);

        return $this->app->make($class);
    }

    private function keys(): KeyFile
    {
        $spool = $this->app->make(SpoolServices::class);
        $config = $spool->config();

        return KeyFile::below($config->path, $spool->clock(), $config->directoryMode(), $config->fileMode());
    }

    private function lane(): LaneFiles
    {
        return new LaneFiles(
            $this->app->basePath(),
            $this->app->bootstrapPath('cache/headroom-lane.php'),
            'php artisan headroom:lane',
        );
    }

    private function compilation(): Compilation
    {
        return Compilation::of($this->collector()->config(), $this->app->make(SpoolServices::class));
    }

    private function generator(): Generator
    {
        return new Generator(new SystemClock, new ProcessCpuTime);
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
                => (new ApplicationDatabase($this->app))->meter($facts),
            MissedClasses::class => static fn (): MissedClasses => MissedClasses::ofThisProcess(),
        ] + FactProviders::ofThisMachine());
    }
}
