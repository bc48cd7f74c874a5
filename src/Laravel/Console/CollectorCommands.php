<?php

declare(strict_types=1);

namespace Headroom\Laravel\Console;

use Headroom\Collector\Collector;
use Headroom\Collector\CollectorConfig;
use Headroom\Collector\Handler;
use Headroom\Collector\HttpClient;
use Headroom\Collector\Intake\Keys\KeyFile;
use Headroom\Collector\Lane\Compilation;
use Headroom\Console\Collector\CollectCommand;
use Headroom\Console\Collector\CollectorStatusCommand;
use Headroom\Console\Collector\ConfigCommand;
use Headroom\Console\Collector\InstallCommand;
use Headroom\Console\Collector\IntakeFactory;
use Headroom\Console\Collector\KeyCommand;
use Headroom\Console\Collector\LaneCommand;
use Headroom\Console\Collector\LaneFiles;
use Headroom\Console\Collector\ReloadCommand;
use Headroom\Console\Collector\StopCommand;
use Headroom\Console\Collector\WorkerCommand;
use Headroom\Console\SelfCommand;
use Headroom\Spool\Services\SpoolServices;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Contracts\Foundation\Application;
use Symfony\Component\Console\Command\Command;

/**
 * The collector's commands under their names in artisan.
 *
 * @internal
 */
final readonly class CollectorCommands
{
    public function __construct(private Application $app) {}

    /** @return list<Command> */
    public function all(): array
    {
        $collector = new Collector(
            fn (): CollectorConfig => CollectorConfig::fromArray((array) $this->app->make(Repository::class)->get('headroom.collector', [])),
            $this->app->make(SpoolServices::class),
            SelfCommand::command(),
            SelfCommand::directory(),
            ['worker' => 'headroom:collect:worker', 'flusher' => 'spool:work'],
            IntakeFactory::of(...),
            $this->handler(...),
        );
        $spool = $this->app->make(SpoolServices::class);
        $keys = static fn (): KeyFile => KeyFile::below(
            $spool->config()->path,
            $spool->clock(),
            $spool->config()->directoryMode(),
            $spool->config()->fileMode(),
        );
        $commands = [new CollectCommand($collector), new WorkerCommand($collector), new ReloadCommand($collector), new StopCommand($collector), new CollectorStatusCommand($collector), new ConfigCommand($collector), new InstallCommand($spool), new KeyCommand($keys, $spool->clock())];

        $lane = new LaneFiles($this->app->basePath(), $this->app->bootstrapPath('cache/headroom-lane.php'), 'php artisan headroom:lane');
        $compilation = fn (): Compilation => Compilation::of($collector->config(), $this->app->make(SpoolServices::class));
        array_push($commands, new LaneCommand($lane, $compilation), new LaneCacheCommand($lane, $compilation), new LaneClearCommand($lane));

        foreach ($commands as $command) {
            $command->setName("headroom:{$command->getName()}");
        }

        return $commands;
    }

    /** @param class-string<Handler> $class */
    private function handler(string $class, HttpClient $calls): object
    {
        $this->app->instance(HttpClient::class, $calls);

        return $this->app->make($class);
    }
}
