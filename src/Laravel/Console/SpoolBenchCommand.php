<?php

declare(strict_types=1);

namespace Headroom\Laravel\Console;

use Headroom\Bench\Buffer\AppendBenchmark;
use Headroom\Bench\Buffer\BufferBenchmarkResult;
use Headroom\Bench\Buffer\FlushBenchmark;
use Headroom\Bench\Buffer\ParallelAppendBenchmark;
use Headroom\Bench\Buffer\ScratchDirectory;
use Headroom\Bench\Machine;
use Headroom\Console\CommandGuard;
use Headroom\Console\JsonOutput;
use Headroom\Console\NumericOptions;
use Headroom\Core\SystemClock;
use Headroom\Laravel\Bench\BenchSinkFactory;
use Headroom\Laravel\Bench\BenchTable;
use Headroom\Laravel\Sinks\LaravelSinkFactory;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\FileStore\FilesystemProbe;
use Headroom\Spool\FileStore\State\NodeId;
use Headroom\Spool\Services\Backends;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Support\EffectiveUser;
use Illuminate\Console\Command;
use Illuminate\Database\DatabaseManager;
use InvalidArgumentException;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Exception\InvalidOptionException;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'spool:bench', description: 'Measure the cost of buffering and flushing on this machine')]
final class SpoolBenchCommand extends Command
{
    private const SECONDS = 20;

    private const SHORTEST = 1;

    private const BUCKET = 'bench';

    private int $interrupts = 0;

    public function configure(): void
    {
        $this->addOption(
            'seconds',
            null,
            InputOption::VALUE_REQUIRED,
            'Approximate duration in seconds',
            (string) self::SECONDS,
        )
            ->addOption(
                'database',
                null,
                InputOption::VALUE_REQUIRED,
                'Also flush into a temporary table on this connection',
            )
            ->addOption('json', null, InputOption::VALUE_NONE, 'Print JSON')
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command measures the cost of buffering and flushing. It writes up to 200
                MB into a temporary directory next to the buffer, and no event into a bucket of the application.

                    <info>php %command.full_name%</info>
                    <info>php %command.full_name% --seconds=60</info>
                    <info>php %command.full_name% --database=mysql --json</info>

                The command removes what it made at its end, and after Ctrl-C. If it is killed, remove the directory
                spool-bench-* and, with --database, the table spool_bench_*.

                Exit codes:

                  0  measured
                  1  not measured, or interrupted
                  2  wrong usage
                HELP);
    }

    public function run(InputInterface $input, OutputInterface $output): int
    {
        return (new CommandGuard($output, $input))
            ->guard(fn (OutputInterface $output): int => parent::run($input, $output));
    }

    public function handle(SpoolServices $spool, DatabaseManager $databases): int
    {
        // Root runs this as the owner of the directory: the owner may put a link there, and root would write through
        // it.
        return EffectiveUser::below(dirname($spool->config()->path))
            ->during(fn (): int => $this->bench($spool, $databases));
    }

    private function bench(SpoolServices $spool, DatabaseManager $databases): int
    {
        $seconds = (new NumericOptions($this->input))->positive('seconds') ?? self::SECONDS;
        $connection = $this->option('database');
        $isJson = $this->option('json') === true;
        $path = $spool->config()->path;
        $table = is_string($connection) ? $this->benchTable($databases, $connection) : null;
        $scratch = ScratchDirectory::beside($path);
        $this->trap(defined('SIGINT') ? [SIGINT, SIGTERM] : [], function (): void {
            $this->interrupts++;
        });

        if (! $isJson) {
            $this->line(
                "Measuring for about {$seconds} s in {$scratch->path}"
                    .($table === null
                        ? '.'
                        : " and the temporary table {$table->name} on connection {$connection}. Both are removed, with "
                            .'the rows of spool_ledger.'),
            );
        }

        try {
            try {
                $result = $this->measure(
                    $scratch,
                    max(self::SHORTEST, $seconds),
                    $table,
                    is_string($connection) ? $connection : null,
                    $databases,
                );
            } finally {
                $table?->drop(NodeId::read("{$scratch->path}/database"));
            }
        } finally {
            // Also after a failure of the database, which leaves the table.
            $scratch->remove();
        }

        if ($this->interrupts > 0) {
            return (new CommandGuard(
                $this->output->getOutput(),
                $this->input,
            ))->fail('Interrupted. The temporary files are removed.');
        }

        return $this->print($result, $path, $isJson);
    }

    private function benchTable(DatabaseManager $databases, string $connection): BenchTable
    {
        try {
            return new BenchTable($databases, $connection);
        } catch (InvalidArgumentException $e) {
            throw new InvalidOptionException(
                "--database={$connection}: {$e->getMessage()} It must be one of 'connections' in config/database.php.",
                0,
                $e,
            );
        }
    }

    private function measure(
        ScratchDirectory $scratch,
        int $seconds,
        ?BenchTable $table,
        ?string $connection,
        DatabaseManager $databases,
    ): BufferBenchmarkResult {
        $clock = new SystemClock;
        $isStopped = fn (): bool => $this->interrupts > 0;
        $sinks = ['none' => $this->spoolWith("{$scratch->path}/none", ['sink' => 'none'], $databases)];

        if ($table !== null) {
            $table->create();
            $sinks['database'] = $this->spoolWith(
                "{$scratch->path}/database",
                ['sink' => 'database', 'table' => $table->name, 'connection' => $connection],
                $databases,
            );
        }

        return new BufferBenchmarkResult(
            (new AppendBenchmark($scratch, $clock, $isStopped))->run(0.4 * $seconds),
            ParallelAppendBenchmark::isPossible()
                ? (new ParallelAppendBenchmark($scratch, $clock, $isStopped))->run(0.3 * $seconds)
                : [],
            (new FlushBenchmark($clock, $isStopped))->run(0.3 * $seconds, $sinks, self::BUCKET),
        );
    }

    /** @param array<string, mixed> $bucket */
    private function spoolWith(string $path, array $bucket, DatabaseManager $databases): SpoolServices
    {
        return new SpoolServices(
            static fn (): AppendConfig
                => AppendConfig::fromArray(['path' => $path, 'buckets' => [self::BUCKET => $bucket]]),
            new Backends(static fn (): BenchSinkFactory => new BenchSinkFactory(new LaravelSinkFactory(
                $databases,
                new SystemClock,
            ))),
        );
    }

    private function print(BufferBenchmarkResult $result, string $path, bool $isJson): int
    {
        $machine = Machine::describe('', new SystemClock);
        unset($machine['commit']);
        $machine['filesystem'] = (new FilesystemProbe($path))->type();

        if ($isJson) {
            (new JsonOutput($this->output))->print(['machine' => $machine, ...$result->toArray()]);

            return self::SUCCESS;
        }

        foreach (['', ...$result->lines(), ''] as $line) {
            $this->output->writeln($line, OutputInterface::OUTPUT_RAW);
        }

        $text = static fn (string $key): string => is_scalar($machine[$key]) ? (string) $machine[$key] : 'unknown';
        $this->line(
            "{$text('cpu')}, {$text('cores')} cores, {$text('filesystem')}, PHP {$text('php')}, {$text('kernel')}"
                .(ParallelAppendBenchmark::isPossible()
                    ? ''
                    : '; without pcntl and posix nothing was measured in parallel'),
        );
        $this->line(
            'opcache on the command line is '
                .(ini_get('opcache.enable_cli') === '1'
                    ? 'on'
                    : 'off; `php -d opcache.enable_cli=1 artisan spool:bench` measures with it, as in a request')
                .'.',
        );

        return self::SUCCESS;
    }
}
