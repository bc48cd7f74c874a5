<?php

declare(strict_types=1);

namespace Headroom\Console\Standalone;

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
use Headroom\Console\CommandGuard;
use Headroom\Console\CurrentProgram;
use Headroom\Console\Doctor\DoctorCommand;
use Headroom\Console\Doctor\DoctorTopCommand;
use Headroom\Console\Doctor\FactProviders;
use Headroom\Console\Load\LoadCommand;
use Headroom\Console\Load\LoadWorkerCommand;
use Headroom\Console\Preload\BenchPreloadCommand;
use Headroom\Console\Preload\PreloadCommand;
use Headroom\Console\Preload\PreloadContext as PreloadApplication;
use Headroom\Console\Preload\PreloadStatusCommand;
use Headroom\Console\Registry\CommandList;
use Headroom\Console\Spool\SpoolCommand;
use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Runner\CheckList;
use Headroom\Load\Executor\LoadGenerator;
use Headroom\Load\Metrics\ProcessCpuTime;
use Headroom\Sink\ClickHouse\ClickHouseSink;
use Headroom\Sink\Elasticsearch\ElasticsearchSink;
use Headroom\Sink\File\FileSink;
use Headroom\Sink\Http\HttpSink;
use Headroom\Sink\Memory\Arrivals;
use Headroom\Sink\Memory\MemorySink;
use Headroom\Sink\Sink;
use Headroom\Spool\AppendConfig;
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
 * Builds everything that runs without a Laravel application. The configuration is headroom.php in the current
 * directory, which returns an array with the keys `spool`, `collector` and `preload`.
 *
 * @internal
 */
final class Bootstrap
{
    private const CONFIG = 'headroom.php';

    /** @var ?array<array-key, mixed> */
    private ?array $config = null;

    private ?AppendConfig $settings = null;

    private ?SpoolServices $spool = null;

    public function application(): Application
    {
        $application = new StandaloneApplication('Headroom');
        $application->setAutoExit(false);
        // Symfony 8 has no add(), and Symfony before 7.4 has no addCommand(). All versions have addCommands().
        $application->addCommands(CommandList::lazy(CommandList::TOOLS + CommandList::SPOOL, $this->command(...)));

        return $application;
    }

    /** @param class-string<Command> $class */
    private function command(string $class): Command
    {
        $clock = new SystemClock;

        return match ($class) {
            CollectCommand::class, CollectWorkerCommand::class, CollectReloadCommand::class, CollectStopCommand::class,
            CollectStatusCommand::class, CollectConfigCommand::class => new $class($this->collector()),
            CollectKeyCommand::class => new CollectKeyCommand($this->keys(...), $clock),
            CollectPublishCommand::class => new CollectPublishCommand(
                new PublishedFiles(
                    CurrentProgram::directory(),
                    CurrentProgram::directory().'/headroom-ingest.php',
                    'headroom collect:publish',
                ),
                fn (): CompiledIngest => CompiledIngest::of($this->collector()->config(), $this->spool()),
            ),
            DoctorCommand::class => new DoctorCommand(CheckList::ofPackage(...), self::facts(...), $clock, [
                ...CurrentProgram::command(), 'load',
            ]),
            DoctorTopCommand::class => new DoctorTopCommand(self::facts(...), $clock),
            LoadCommand::class => new LoadCommand(
                new LoadGenerator($clock, new ProcessCpuTime),
                $clock,
                [...CurrentProgram::command(), 'load:worker'],
            ),
            LoadWorkerCommand::class => new LoadWorkerCommand(new LoadGenerator($clock, new ProcessCpuTime), $clock),
            PreloadCommand::class => new PreloadCommand($this->preloaded(), self::facts(...), $clock),
            PreloadStatusCommand::class => new PreloadStatusCommand($this->preloaded(), self::facts(...)),
            BenchPreloadCommand::class => new BenchPreloadCommand($this->preloaded(), $clock),
            default => is_subclass_of($class, SpoolCommand::class) ? new $class($this->spool()) : new $class,
        };
    }

    private function preloaded(): PreloadApplication
    {
        return new PreloadApplication(CurrentProgram::directory(), $this->preload(...), static fn (): array => []);
    }

    private function spool(): SpoolServices
    {
        $clock = new SystemClock;

        return $this->spool ??= new SpoolServices($this->settings(...), $this->connections($clock), clock: $clock);
    }

    private function collector(): Collector
    {
        return new Collector(
            fn (): CollectorConfig => CollectorConfig::fromArray($this->section('collector')),
            $this->spool(),
            CurrentProgram::command(),
            CurrentProgram::directory(),
            ['worker' => 'collect:worker', 'flusher' => 'spool:work'],
            IngestFactory::of(...),
            /** @param class-string<Handler> $class */
            static fn (string $class, HttpClient $calls): object => new $class($calls),
        );
    }

    private function keys(): ApiKeyStore
    {
        $config = $this->spool()->config();

        return ApiKeyStore::below(
            $config->path,
            $this->spool()->clock(),
            $config->directoryMode(),
            $config->fileMode(),
        );
    }

    /** @return int the exit code: 2 for wrong usage of any command, 1 instead of 0 if the output was lost */
    public function run(InputInterface $input = new ArgvInput, OutputInterface $output = new ConsoleOutput): int
    {
        return CommandGuard::withCheckedOutput(
            $output,
            fn (OutputInterface $output): int => $this->runCommand($input, $output),
        );
    }

    private function runCommand(InputInterface $input, OutputInterface $output): int
    {
        $application = $this->application();
        $application->setCatchExceptions(false);

        try {
            return $application->run($input, $output);
        } catch (Throwable $e) {
            $application->renderThrowable(
                $e,
                $output instanceof ConsoleOutputInterface ? $output->getErrorOutput() : $output,
            );

            return $e instanceof ExceptionInterface ? Command::INVALID : Command::FAILURE;
        }
    }

    private function connections(Clock $clock): Backends
    {
        return new Backends(
            fn (): StandaloneSinkFactory => new StandaloneSinkFactory([
                'file' => static fn (ConfigReader $options): Sink => FileSink::fromOptions($options),
                'elasticsearch' => static fn (ConfigReader $options): Sink
                    => ElasticsearchSink::fromOptions($options, $clock),
                'clickhouse' => static fn (ConfigReader $options): Sink
                    => ClickHouseSink::fromOptions($options, $clock),
                'http' => static fn (ConfigReader $options): Sink => HttpSink::fromOptions($options, $clock),
                'memory' => static fn (ConfigReader $options): Sink => MemorySink::fromOptions(new Arrivals, $options),
            ], $this->settings()->whole()->sinkNames()),
            disconnect: static function (): void {},
        );
    }

    private function settings(): AppendConfig
    {
        return $this->settings ??= AppendConfig::fromArray($this->section('spool'));
    }

    /** @return array<array-key, mixed> empty without a headroom.php: preloading needs none */
    private function preload(): array
    {
        $settings = is_file(self::configFile()) ? $this->section('preload') : [];

        // Only a Laravel application has a directory for files that are generated for a release.
        return $settings
            + (is_dir(CurrentProgram::directory().'/bootstrap/cache')
                ? []
                : ['file' => 'preload.php', 'samples' => 'preload-samples']);
    }

    private static function configFile(): string
    {
        return rtrim(CurrentProgram::directory(), '/').'/'.self::CONFIG;
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
            $config = is_file($file) ? require $file : throw InvalidConfig::missing(
                self::CONFIG,
                "a file in this directory ({$file}) that returns an array with the key '{$key}'. A Laravel application"
                    .' needs none, and has this command in artisan',
            );
            $this->config = is_array($config)
                ? $config
                : throw InvalidConfig::notAllowed(self::CONFIG, $config, "an array with the key '{$key}'");
        }

        $section = $this->config[$key] ?? [];

        return is_array($section) ? $section : throw InvalidConfig::notAllowed($key, $section, 'an array');
    }

    /**
     * In a directory such as /tmp, any user could plant a headroom.php, which root or another user would then execute.
     *
     * @throws InvalidConfig
     */
    private static function refusePlanted(string $file): void
    {
        $owner = @fileowner($file);

        if (
            $owner !== false
            && function_exists('posix_geteuid')
            && ! in_array($owner, [0, posix_geteuid()], true)
            && ((int) fileperms(dirname($file)) & 0o002) !== 0
        ) {
            throw InvalidConfig::notAllowed(
                self::CONFIG,
                $file,
                'your own or root\'s, in a directory that any user may write to. Run this in the directory of the'
                    .' application',
            );
        }
    }

    /** @param array<class-string, Closure(Facts): object> $probes take precedence over those of this machine */
    private static function facts(array $probes): Facts
    {
        return new Facts($probes + FactProviders::ofThisMachine());
    }
}
