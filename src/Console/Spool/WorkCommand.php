<?php

declare(strict_types=1);

namespace Headroom\Console\Spool;

use Closure;
use Headroom\Console\NumericOptions;
use Headroom\Process\Supervision\BackgroundProcess;
use Headroom\Process\Supervision\ForkedProcesses;
use Headroom\Process\Supervision\ProcessControl;
use Headroom\Process\Supervision\ShutdownSignal;
use Headroom\Process\Supervision\Supervisor;
use Headroom\Process\Supervision\WorkerStopReason;
use Headroom\Spool\Durability;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\Worker\HeartbeatSender;
use Headroom\Spool\Worker\RestartSignal;
use Headroom\Spool\Worker\WorkerOptions;
use Headroom\Support\InvalidConfig;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\SignalableCommandInterface;
use Symfony\Component\Console\Exception\InvalidOptionException;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'spool:work', description: 'Deliver what is in the buffer about once a second, until told to stop')]
final class WorkCommand extends SpoolCommand implements SignalableCommandInterface
{
    private readonly ShutdownSignal $stop;

    public function __construct(SpoolServices $spool)
    {
        parent::__construct($spool);
        $this->stop = new ShutdownSignal;
    }

    public function configure(): void
    {
        $this->addArgument('bucket', InputArgument::OPTIONAL | InputArgument::IS_ARRAY, 'Only these buckets; all that are declared unless given')
            ->addOption('sleep', null, InputOption::VALUE_REQUIRED, 'Milliseconds between two rounds', '1000')
            ->addOption('max-time', null, InputOption::VALUE_REQUIRED, 'Stop after so many seconds')
            ->addOption('memory', null, InputOption::VALUE_REQUIRED, 'MiB that a process may take before another one goes on', '128')
            ->addOption('stop-when-empty', null, InputOption::VALUE_NONE, 'Stop when a round finds nothing')
            ->setHelp('Several buckets get a process each, on disk with their first event, where PHP has pcntl and posix: a sink that hangs then holds no other bucket up. Elsewhere one process goes round. SIGTERM, SIGINT, SIGQUIT and spool:restart finish the bucket at hand, for five seconds and a batch, and stop; after 30 seconds, or at a second signal, what is left is killed. Killing it at any moment loses nothing. Rests while the application is in maintenance mode, unless it is to stop when all is delivered. Exit codes: 0 stopped as asked, by a limit or by spool:restart, 1 the configuration is wrong, or with --stop-when-empty a bucket failed in the last round, 2 wrong usage.');
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $limits = $this->limits($input);
        $asked = $input->getArgument('bucket');
        $buckets = (new BucketArgument($this->spool))->withSink(array_values(array_filter(is_array($asked) ? $asked : [], is_string(...))), andSynced: true);

        if ($buckets === []) {
            $output->writeln((new BucketArgument($this->spool))->noneWithSink().', so there is nothing to deliver.');
        }

        if (count($buckets) > 1 && $this->spool->mayFork() && ForkedProcesses::isPossible()) {
            return $this->crew($limits, $output)->run($buckets);
        }

        $this->title(implode(' ', $buckets));

        return match ((new Worker($this->spool, $buckets, $limits, $this->stop, $output))->run()) {
            WorkerStopReason::Failed => self::FAILURE,
            default => self::SUCCESS,
        };
    }

    /** @return list<int> */
    public function getSubscribedSignals(): array
    {
        return ShutdownSignal::signals();
    }

    public function handleSignal(int $signal, int|false $previousExitCode = 0): int|false
    {
        $this->stop->ask($signal);

        return false;
    }

    /** @throws InvalidOptionException */
    private function limits(InputInterface $input): WorkerOptions
    {
        $numbers = new NumericOptions($input);
        $memory = 1_048_576 * ($numbers->positive('memory') ?? 128);
        $taken = memory_get_usage(true);

        if ($taken >= $memory) {
            throw new InvalidOptionException(sprintf('--memory is %d, and the application takes %d MiB before any work is done. Give it more.', $memory >> 20, $taken >> 20));
        }

        return new WorkerOptions(1000 * ($numbers->natural('sleep') ?? 1000), $memory, $input->getOption('stop-when-empty') === true, $numbers->positive('max-time'));
    }

    private function crew(WorkerOptions $limits, OutputInterface $output): Supervisor
    {
        $clock = $this->spool->clock();
        $started = $clock->monotonicNanos();
        $restart = new RestartSignal($this->spool);
        $processes = new ForkedProcesses;
        $this->title('supervisor');
        $this->spool->disconnect();

        return new Supervisor(
            function (string $bucket, int $parent) use ($limits, $output): WorkerStopReason {
                $this->title($bucket);
                $this->spool->disconnect();

                return (new Worker($this->spool, [$bucket], $limits->below($parent), $this->stop, $output))->run();
            },
            fn (string $bucket): bool => $limits->untilDrained || $this->isInUse($bucket),
            static fn (): bool => $restart->isDue() || ($limits->seconds !== null && $clock->monotonicNanos() - $started >= $limits->seconds * 1_000_000_000),
            $processes,
            $this->stop,
            $clock,
            $output,
            $this->heartbeat($processes),
        );
    }

    /** Of one in Redis only Redis knows, and might not answer. One that is synced each second has somebody there when its first event comes. */
    private function isInUse(string $bucket): bool
    {
        return $this->spool->stores()->isOnRedis($bucket) || ! $this->spool->isUntouched($bucket) || $this->isSynced($bucket);
    }

    private function isSynced(string $bucket): bool
    {
        try {
            return $this->spool->config()->bucket($bucket)?->durability === Durability::Interval;
        } catch (InvalidConfig) {
            return true; // its process tells
        }
    }

    private function heartbeat(ProcessControl $processes): BackgroundProcess
    {
        $heart = new HeartbeatSender($this->spool);

        return new BackgroundProcess($heart->isDue(...), function (Closure $limit) use ($heart): void {
            $this->title('heartbeat');
            $this->spool->disconnect();
            $heart->beat($limit);
        }, $processes, $this->spool->clock());
    }

    /** What ps(1) shows, where the process is the worker's own; some systems let only root set it. */
    private function title(string $of): void
    {
        if ($this->spool->mayFork() && PHP_SAPI === 'cli' && function_exists('cli_set_process_title')) {
            @cli_set_process_title("spool:work {$of}");
        }
    }
}
