<?php

declare(strict_types=1);

namespace Headroom\Console\Standalone;

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
use Headroom\Console\Collector\InstallCommand;
use Headroom\Console\Collector\IntakeFactory;
use Headroom\Console\Collector\KeyCommand;
use Headroom\Console\Collector\LaneCommand;
use Headroom\Console\Collector\LaneFiles;
use Headroom\Console\Collector\ReloadCommand;
use Headroom\Console\Collector\StopCommand;
use Headroom\Console\Collector\WorkerCommand;
use Headroom\Console\Doctor\DoctorCommand;
use Headroom\Console\Doctor\Probes;
use Headroom\Console\Doctor\TopCommand;
use Headroom\Console\Load\CompareCommand;
use Headroom\Console\Load\LoadCommand;
use Headroom\Console\Load\ShareCommand;
use Headroom\Console\Logs\ErrorlogCommand;
use Headroom\Console\Logs\SlowlogCommand;
use Headroom\Console\Preload\Application as PreloadApplication;
use Headroom\Console\Preload\BenchCommand;
use Headroom\Console\Preload\GenerateCommand;
use Headroom\Console\Preload\PreloadStatusCommand;
use Headroom\Console\Preload\SharedPools;
use Headroom\Console\SelfCommand;
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
use Headroom\Console\Spool\StatusCommand as SpoolStatusCommand;
use Headroom\Console\Spool\VerifyCommand;
use Headroom\Console\Spool\WorkCommand;
use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Doctor\Checks\Checks;
use Headroom\Doctor\Facts;
use Headroom\Load\Generator;
use Headroom\Load\ProcessCpuTime;
use Headroom\Sink\ClickHouse\ClickHouseSink;
use Headroom\Sink\Elasticsearch\ElasticsearchSink;
use Headroom\Sink\File\FileSink;
use Headroom\Sink\Http\HttpSink;
use Headroom\Sink\Memory\Arrivals;
use Headroom\Sink\Memory\MemorySink;
use Headroom\Sink\Sink;
use Headroom\Spool\Append\AppendConfig;
use Headroom\Spool\Services\Backends;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;
use Symfony\Component\Console\Application;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Exception\ExceptionInterface;
use Symfony\Component\Console\Input\ArgvInput;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\ConsoleOutput;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;
use Throwable;

/**
 * Everything that runs without a Laravel application is put together here, by what headroom.php in the current directory
 * says: an array with the keys `spool`, `collector` and `preload`.
 *
 * @internal
 */
final class Bootstrap
{
    private const CONFIG = 'headroom.php';

    private const SPOOL_COMMANDS = [
        FlushCommand::class, WorkCommand::class, SpoolStatusCommand::class, CleanCommand::class, HealthCommand::class,
        PauseCommand::class, ResumeCommand::class, RestartCommand::class, PeekCommand::class, VerifyCommand::class,
        AdoptCommand::class, DeadCommand::class, ReplayCommand::class, NewIdCommand::class, ForgetCommand::class, InstallCommand::class,
    ];

    private const COLLECT_COMMANDS = [
        CollectCommand::class, WorkerCommand::class, ReloadCommand::class, StopCommand::class,
        CollectorStatusCommand::class, ConfigCommand::class,
    ];

    /** @var ?array<array-key, mixed> */
    private ?array $config = null;

    private ?AppendConfig $settings = null;

    public function application(): Application
    {
        $application = new StandaloneApplication('Headroom');
        $application->setAutoExit(false);
        $facts = self::facts(...);
        $clock = new SystemClock;
        $spool = new SpoolServices(fn (): AppendConfig => $this->settings(), $this->connections($clock), clock: $clock);
        // Symfony 8 has no add() and Symfony before 7.4 no addCommand(); all have this.
        $application->addCommands([
            ...$this->toolCommands($facts, $clock),
            ...array_map(static fn (string $command): Command => new $command($spool), self::SPOOL_COMMANDS),
            ...$this->collectCommands($spool, $clock),
        ]);

        return $application;
    }

    /**
     * @param Closure(array<class-string, Closure(Facts): object>): Facts $facts
     * @return list<Command>
     */
    private function toolCommands(Closure $facts, Clock $clock): array
    {
        $preloaded = new PreloadApplication(SelfCommand::directory(), $this->preload(...), static fn (): array => []);

        return [
            new DoctorCommand(Checks::all(...), $facts, new SystemClock, [...SelfCommand::command(), 'load']),
            new TopCommand($facts, new SystemClock),
            new SlowlogCommand,
            new ErrorlogCommand,
            new LoadCommand(new Generator($clock, new ProcessCpuTime), $clock, [...SelfCommand::command(), 'load:share']),
            new ShareCommand(new Generator($clock, new ProcessCpuTime), $clock),
            new CompareCommand,
            new GenerateCommand($preloaded, new SharedPools($facts), $clock),
            new PreloadStatusCommand($preloaded, $facts),
            new BenchCommand($preloaded, $clock),
        ];
    }

    /** @return list<Command> */
    private function collectCommands(SpoolServices $spool, Clock $clock): array
    {
        $collector = new Collector(
            fn (): CollectorConfig => CollectorConfig::fromArray($this->section('collector')),
            $spool,
            SelfCommand::command(),
            SelfCommand::directory(),
            ['worker' => 'collect:worker', 'flusher' => 'spool:work'],
            IntakeFactory::of(...),
            /** @param class-string<Handler> $class */
            static fn (string $class, HttpClient $calls): object => new $class($calls),
        );
        $lane = new LaneFiles(SelfCommand::directory(), SelfCommand::directory().'/headroom-lane.php', 'headroom lane');
        $keys = static function () use ($spool, $clock): KeyFile {
            $config = $spool->config();

            return KeyFile::below($config->path, $clock, $config->directoryMode(), $config->fileMode());
        };

        return [
            ...array_map(static fn (string $command): Command => new $command($collector), self::COLLECT_COMMANDS),
            new LaneCommand($lane, static fn (): Compilation => Compilation::of($collector->config(), $spool)),
            new KeyCommand($keys, $clock),
        ];
    }

    /** @return int the exit code: 2 for wrong usage, whatever the command */
    public function run(InputInterface $input = new ArgvInput, OutputInterface $output = new ConsoleOutput): int
    {
        $application = $this->application();
        $application->setCatchExceptions(false);

        try {
            return $application->run($input, $output);
        } catch (Throwable $e) {
            $application->renderThrowable($e, $output instanceof ConsoleOutputInterface ? $output->getErrorOutput() : $output);

            return $e instanceof ExceptionInterface ? Command::INVALID : Command::FAILURE;
        }
    }

    private function connections(Clock $clock): Backends
    {
        return new Backends(
            static fn (): StandaloneSinkFactory => new StandaloneSinkFactory([
                'file' => static fn (ConfigReader $options): Sink => FileSink::fromOptions($options),
                'elasticsearch' => static fn (ConfigReader $options): Sink => ElasticsearchSink::fromOptions($options, $clock),
                'clickhouse' => static fn (ConfigReader $options): Sink => ClickHouseSink::fromOptions($options, $clock),
                'http' => static fn (ConfigReader $options): Sink => HttpSink::fromOptions($options, $clock),
                'memory' => static fn (ConfigReader $options): Sink => MemorySink::fromOptions(new Arrivals, $options),
            ]),
            disconnect: static function (): void {},
        );
    }

    private function settings(): AppendConfig
    {
        return $this->settings ??= AppendConfig::fromArray($this->section('spool'));
    }

    /** @return array<array-key, mixed> of an application that need not have a headroom.php */
    private function preload(): array
    {
        $settings = is_file(self::configFile()) ? $this->section('preload') : [];

        // Only a Laravel application has a folder for what is made of a release.
        return $settings + (is_dir(SelfCommand::directory().'/bootstrap/cache') ? [] : ['file' => 'preload.php', 'samples' => 'preload-samples']);
    }

    private static function configFile(): string
    {
        return rtrim(SelfCommand::directory(), '/').'/'.self::CONFIG;
    }

    /**
     * @return array<array-key, mixed>
     *
     * @throws InvalidConfig
     */
    private function section(string $key): array
    {
        if ($this->config === null) {
            $file = self::configFile();
            self::refusePlanted($file);
            $config = is_file($file) ? require $file : throw InvalidConfig::missing(self::CONFIG, "a file in this directory ({$file}) that returns an array with the key '{$key}'. A Laravel application needs none, and has this command in artisan");
            $this->config = is_array($config) ? $config : throw InvalidConfig::notAllowed(self::CONFIG, $config, "an array with the key '{$key}'");
        }

        $section = $this->config[$key] ?? [];

        return is_array($section) ? $section : throw InvalidConfig::notAllowed($key, $section, 'an array');
    }

    /**
     * In /tmp any user may put one for root, or for another user, who runs a command there.
     *
     * @throws InvalidConfig
     */
    private static function refusePlanted(string $file): void
    {
        $owner = @fileowner($file);

        if ($owner !== false && function_exists('posix_geteuid') && ! in_array($owner, [0, posix_geteuid()], true) && ((int) fileperms(dirname($file)) & 0o002) !== 0) {
            throw InvalidConfig::notAllowed(self::CONFIG, $file, 'your own or root\'s, in a directory that any user may write to. Run this in the directory of the application');
        }
    }

    /** @param array<class-string, Closure(Facts): object> $told that go before its own */
    private static function facts(array $told): Facts
    {
        return new Facts($told + Probes::ofThisMachine());
    }
}
