<?php

declare(strict_types=1);

namespace Headroom\Laravel\Console;

use Headroom\Bench\Interrupted;
use Headroom\Bench\InterruptHandler;
use Headroom\Bench\Machine;
use Headroom\Bench\Queues\BenchOptions;
use Headroom\Bench\Queues\Drivers\QueueConnectionFinder;
use Headroom\Bench\Queues\Drivers\QueueDrivers;
use Headroom\Bench\Queues\Drivers\TemporaryServers;
use Headroom\Bench\Queues\DriverUnderTest;
use Headroom\Bench\Queues\Report\DriverLines;
use Headroom\Bench\Queues\Report\FindingsTable;
use Headroom\Bench\Queues\Report\QueuesDocument;
use Headroom\Bench\Queues\Report\QueuesPage;
use Headroom\Bench\Queues\Results\Findings;
use Headroom\Bench\Queues\Run\BenchmarkRun;
use Headroom\Bench\Queues\Run\RoundRunner;
use Headroom\Bench\Queues\Run\SignalSafeDriver;
use Headroom\Bench\Queues\Run\StabilityCheck;
use Headroom\Bench\Queues\Scenarios\Scenario;
use Headroom\Bench\Queues\UnableToBench;
use Headroom\Console\CommandGuard;
use Headroom\Console\JsonOutput;
use Headroom\Console\TerminalStyles;
use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Process\Programs;
use Headroom\Report\ReportFile;
use Headroom\Support\TerminalText;
use Illuminate\Console\Command;
use Illuminate\Contracts\Config\Repository;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'headroom:bench:queues', description: 'Compare queue drivers with real workers')]
final class BenchQueuesCommand extends Command
{
    private InterruptHandler $interrupts;

    public function configure(): void
    {
        $this
            ->addOption(
                'drivers',
                null,
                InputOption::VALUE_REQUIRED | InputOption::VALUE_IS_ARRAY,
                'Connections of config/queue.php, or database:CONNECTION, separated by commas; by default the default '
                    .'connection',
            )
            ->addOption(
                'scenario',
                null,
                InputOption::VALUE_REQUIRED | InputOption::VALUE_IS_ARRAY,
                'empty (the default), slow, deep, payload, arrivals, persistent, cache, output, or all',
            )
            ->addOption('jobs', null, InputOption::VALUE_REQUIRED, 'Minimum of jobs in a run; 10000 by default')
            ->addOption(
                'seconds',
                null,
                InputOption::VALUE_REQUIRED,
                'Approximate seconds of a run; 10 by default; fast drivers get more jobs',
            )
            ->addOption(
                'workers',
                null,
                InputOption::VALUE_REQUIRED,
                'Processes of queue:work; 10 by default, or 1 for SQLite',
            )
            ->addOption(
                'runs',
                null,
                InputOption::VALUE_REQUIRED,
                'Runs of each driver after a warm-up; 10 by default; long scenarios take fewer',
            )
            ->addOption(
                'deep',
                null,
                InputOption::VALUE_REQUIRED,
                'Jobs in the queue of the scenario deep; 1000000 by default',
            )
            ->addOption(
                'with-servers',
                null,
                InputOption::VALUE_NONE,
                'Start temporary servers of MariaDB, PostgreSQL, Redis and beanstalkd, and use a SQLite file',
            )
            ->addOption('html', null, InputOption::VALUE_REQUIRED, 'Write an HTML report to this file')
            ->addOption('json', null, InputOption::VALUE_NONE, 'Print JSON')
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command compares queue drivers with real queue:work processes of this
                application. It queues the jobs first, starts all workers at the same moment, and counts how often each
                job ran.

                    <info>php %command.full_name%</info>
                    <info>php %command.full_name% --drivers=redis,database --scenario=all</info>
                    <info>php %command.full_name% --with-servers --html=queues.html</info>

                Jobs go to a temporary queue, and for the database driver to a temporary table. Both are removed at the
                end.

                Exit codes:

                  0  measured, and each job ran exactly once
                  1  not measured, or a job did not run exactly once
                  2  wrong usage
                HELP);
    }

    public function run(InputInterface $input, OutputInterface $output): int
    {
        return (new CommandGuard($output, $input))
            ->guard(fn (OutputInterface $output): int => parent::run($input, $output));
    }

    public function handle(Repository $config): int
    {
        $arguments = new QueueBenchmarkOptions($this->input);
        $options = $arguments->options();
        $scenarios = $arguments->scenarios();
        $report = $arguments->report();
        $clock = new SystemClock;
        $hasServers = $this->option('with-servers') === true;
        $default = $config->get('queue.default');
        $servers = new TemporaryServers($clock);
        $queues = null;
        $findings = [];
        $this->interrupts = new InterruptHandler($this->write(...));
        $this->trap(InterruptHandler::signals(), $this->interrupts->handle(...));

        try {
            $drivers = $arguments->drivers(
                fn (): array
                    => $hasServers
                        ? TemporaryServers::usual($this->report(...))
                        : (is_string($default) ? [$default] : []),
            );
            (new QueueConnectionFinder($config))->check(
                $drivers,
                $hasServers ? TemporaryServers::names() : [],
                $this->report(...),
            );
            $queues = new QueueDrivers(
                $this->laravel,
                new QueueConnectionFinder($config, $hasServers ? $servers->start($drivers) : []),
                $clock,
                $this->report(...),
                $arguments->hasWorkers() ? $options->workers : null,
            );
            $rounds = new RoundRunner($this->benchmarkRun($clock), $this->report(...));

            foreach ($scenarios as $scenario) {
                $rows = $queues->of($scenario, $drivers, $options);
                $rows === [] ? $this->report("{$scenario->value} is left out: {$scenario->whyNone()}.") : null;

                if ($rows !== []) {
                    $this->report($scenario->question());
                    $findings[$scenario->value] = $rounds->run(
                        array_map($this->signalSafe(...), $rows),
                        $scenario->runs($options->runs),
                    );
                }
            }

            $this->interrupts->throwIfInterrupted();
        } finally {
            $this->interrupts->disable();
            $queues?->remove();
            $servers->stop();
        }

        return $findings === []
            ? throw UnableToBench::nothingMeasured(array_combine(
                array_map(static fn (Scenario $scenario): string => $scenario->value, $scenarios),
                array_map(static fn (Scenario $scenario): string => $scenario->whyNone(), $scenarios),
            ))
            : $this->print($findings, $options, $report, $clock);
    }

    /** @param non-empty-array<string, Findings> $findings by scenario */
    private function print(array $findings, BenchOptions $options, ?string $report, Clock $clock): int
    {
        $machine = [
            ...Machine::describe('', $clock),
            'laravel' => $this->laravel->version(),
            'cache_store' => $this->cacheStore(),
        ];

        if ($this->option('json') === true) {
            (new JsonOutput($this->output))->print((new QueuesDocument($machine, $options, $findings))->toArray());
        } else {
            foreach ($findings as $scenario => $of) {
                TerminalStyles::print(
                    $this->output,
                    ['', ...(new FindingsTable(Scenario::from($scenario), $of))->lines()],
                    FindingsTable::STYLES,
                );
            }

            $this->output->writeln(['', ...(new DriverLines($findings))->lines()], OutputInterface::OUTPUT_RAW);
            $text = static fn (string $key): string => is_scalar($machine[$key]) ? (string) $machine[$key] : 'unknown';
            $this->output->writeln(
                [
                    '',
                    "{$text('cpu')}, {$text('cores')} cores, {$text('kernel')}, PHP {$text('php')},",
                    "Laravel {$text('laravel')}, CACHE_STORE={$text('cache_store')}",
                ],
                OutputInterface::OUTPUT_RAW,
            );
        }

        $bad = array_filter(
            $findings,
            static fn (Findings $of, string $scenario): bool
                => ! $of->isValid(Scenario::from($scenario)->isAboutFates()),
            ARRAY_FILTER_USE_BOTH,
        );

        // Write the page after the figures, which are then printed even if the page cannot be written.
        $isWritten = $report === null
            || $this->publish((new QueuesPage($findings, $options, $machine))->page()->html(), $report);

        return $bad === [] && $isWritten ? self::SUCCESS : self::FAILURE;
    }

    private function publish(string $html, string $report): bool
    {
        $obstacle = ReportFile::write($report, $html);
        $obstacle === null
            ? $this->report("Report: {$report}")
            : (new CommandGuard($this->output->getOutput()))->error(
                UnableToBench::report($report, $obstacle)->getMessage(),
            );

        return $obstacle === null;
    }

    /** A worker reads the cache before each job, so the store is a part of each figure. */
    private function cacheStore(): string
    {
        $store = $this->laravel->make(Repository::class)->get('cache.default');

        return is_string($store) ? $store : '';
    }

    private function benchmarkRun(Clock $clock): BenchmarkRun
    {
        $artisan = defined('ARTISAN_BINARY') && is_string(ARTISAN_BINARY) ? ARTISAN_BINARY : 'artisan';

        return new BenchmarkRun(
            [Programs::php(), $this->laravel->basePath($artisan), 'headroom:bench:worker', '--no-interaction'],
            new StabilityCheck($clock),
            $clock,
            $this->write(...),
        );
    }

    private function signalSafe(DriverUnderTest $underTest): DriverUnderTest
    {
        return SignalSafeDriver::around($underTest, $this->interrupts);
    }

    /** @throws Interrupted again, if other code has caught the first exception as a failure */
    private function report(string $words): void
    {
        $this->write($words);
        $this->interrupts->throwIfInterrupted();
    }

    /** The text may contain names from outside. */
    private function write(string $words): void
    {
        $output = $this->output->getOutput();
        ($output instanceof ConsoleOutputInterface ? $output->getErrorOutput() : $output)->writeln(
            TerminalText::line($words),
            OutputInterface::OUTPUT_RAW,
        );
    }
}
