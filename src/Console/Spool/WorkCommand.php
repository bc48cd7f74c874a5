<?php

declare(strict_types=1);

namespace Headroom\Console\Spool;

use Closure;
use Headroom\Console\NumericOptions;
use Headroom\Console\Spool\Output\WorkerConsole;
use Headroom\Process\Supervision\BackgroundProcess;
use Headroom\Process\Supervision\Channel;
use Headroom\Process\Supervision\ForkedProcesses;
use Headroom\Process\Supervision\ShutdownSignal;
use Headroom\Spool\Durability;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\Worker\AlertChecks;
use Headroom\Spool\Worker\BucketSupervisor;
use Headroom\Spool\Worker\HeartbeatSender;
use Headroom\Spool\Worker\RestartSignal;
use Headroom\Spool\Worker\Worker;
use Headroom\Spool\Worker\WorkerOptions;
use Headroom\Spool\Worker\WorkerStopReason;
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
#[AsCommand(name: 'spool:work', description: 'Deliver events continuously until you stop it')]
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
        $this->addArgument(
            'bucket',
            InputArgument::OPTIONAL | InputArgument::IS_ARRAY,
            'Only these buckets; by default all that are declared',
        )
            ->addOption(
                'sleep',
                null,
                InputOption::VALUE_REQUIRED,
                'Seconds between two rounds; a fraction is allowed',
                '1',
            )
            ->addOption(
                'max-time',
                null,
                InputOption::VALUE_REQUIRED,
                'Seconds after which the worker stops; 0 is no limit',
                '0',
            )
            ->addOption(
                'memory',
                null,
                InputOption::VALUE_REQUIRED,
                'MiB after which a process ends and a new one takes over',
                '128',
            )
            ->addOption('stop-when-empty', null, InputOption::VALUE_NONE, 'Stop when a round finds no event')
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command delivers events in rounds until it is told to stop.

                    <info>php %command.full_name%</info>
                    <info>php %command.full_name% api-events audit --sleep=0.2</info>
                    <info>php %command.full_name% --stop-when-empty</info>

                A supervisor runs a process for each bucket, so that a sink that hangs delays no other bucket. That
                needs pcntl and posix; without them one process takes the buckets in turn.

                SIGTERM, SIGINT, SIGQUIT and <info>spool:restart</info> stop the worker after its current delivery. The
                supervisor kills a process that does not end within 30 seconds, or at a second signal. You can kill any
                of them at any moment without losing an event.

                In maintenance mode the worker delivers nothing, except with --stop-when-empty.

                Exit codes:

                  0  it was told to stop, or reached a limit
                  1  the configuration is wrong, or with --stop-when-empty a bucket failed in the last round
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $options = $this->options($input);
        $console = new WorkerConsole($output);
        $asked = $input->getArgument('bucket');
        $buckets = (new BucketArgument($this->spool))->withSink(
            array_values(array_filter(is_array($asked) ? $asked : [], is_string(...))),
            andSynced: true,
        );

        if ($buckets === []) {
            $output->writeln((new BucketArgument($this->spool))->noneWithSink().', so there is nothing to deliver.');
        }

        if (count($buckets) > 1 && $this->spool->mayFork() && ForkedProcesses::isPossible()) {
            $reason = $this->supervisor($options, $console)->run($buckets);
        } else {
            $this->title(implode(' ', $buckets));
            $reason = (new Worker($this->spool, $buckets, $options, $this->stop, $console))->run();
        }

        return $reason === WorkerStopReason::Failed ? self::FAILURE : self::SUCCESS;
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
    private function options(InputInterface $input): WorkerOptions
    {
        $numbers = new NumericOptions($input);
        $memory = 1_048_576 * ($numbers->positive('memory') ?? 128);
        $taken = memory_get_usage(true);

        if ($taken >= $memory) {
            throw new InvalidOptionException(sprintf(
                '--memory is %d, but the application uses %d MiB before it delivers an event. Give a higher limit.',
                $memory >> 20,
                $taken >> 20,
            ));
        }

        $seconds = $numbers->natural('max-time') ?? 0;

        return new WorkerOptions(
            $numbers->seconds('sleep') ?? 1_000_000,
            $memory,
            $input->getOption('stop-when-empty') === true,
            $seconds === 0 ? null : $seconds,
        );
    }

    private function supervisor(WorkerOptions $options, WorkerConsole $console): BucketSupervisor
    {
        $clock = $this->spool->clock();
        $started = $clock->monotonicNanos();
        $restart = new RestartSignal($this->spool);
        $processes = new ForkedProcesses;
        $this->title('supervisor');
        $this->spool->disconnect();

        return new BucketSupervisor(
            function (string $bucket, Channel $supervisor) use ($options, $console): WorkerStopReason {
                $this->title($bucket);
                $this->spool->disconnect();

                $below = $options->below($supervisor);

                return (new Worker($this->spool, [$bucket], $below, $this->stop, $console))->run();
            },
            fn (string $bucket): bool => $options->untilDrained || $this->isInUse($bucket),
            static fn (): bool => $restart->isDue()
                || ($options->seconds !== null
                    && $clock->monotonicNanos() - $started >= $options->seconds * 1_000_000_000),
            $processes->start(...),
            $this->stop,
            $clock,
            $console->supervisor(...),
            $this->heartbeat($processes),
            alerts: new AlertChecks($this->spool),
        );
    }

    /**
     * Whether the bucket needs a process now. A bucket in Redis always has one, since Redis may not answer here. A
     * bucket with durability "interval" needs its process when the first event comes, which that process syncs to disk.
     */
    private function isInUse(string $bucket): bool
    {
        return $this->spool->stores()->isOnRedis($bucket)
            || ! $this->spool->isUntouched($bucket)
            || $this->isSynced($bucket);
    }

    private function isSynced(string $bucket): bool
    {
        try {
            return $this->spool->config()->bucket($bucket)?->durability === Durability::Interval;
        } catch (InvalidConfig) {
            return true; // Its process reports the mistake.
        }
    }

    private function heartbeat(ForkedProcesses $processes): BackgroundProcess
    {
        $heart = new HeartbeatSender($this->spool);

        return new BackgroundProcess($heart->isDue(...), function (Closure $limit) use ($heart): void {
            $this->title('heartbeat');
            $this->spool->disconnect();
            $heart->beat($limit);
        }, $processes->start(...), $this->spool->clock());
    }

    /** Sets the name that ps(1) shows. On some systems only root may set it; the failure is ignored. */
    private function title(string $of): void
    {
        if ($this->spool->mayFork() && PHP_SAPI === 'cli' && function_exists('cli_set_process_title')) {
            @cli_set_process_title("spool:work {$of}");
        }
    }
}
