<?php

declare(strict_types=1);

namespace Headroom\Cli\Spool;

use Headroom\Core\HeadroomException;
use Headroom\Spool\FailureLog;
use Headroom\Spool\Flush\Limits;
use Headroom\Spool\Runtime;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Command\SignalableCommandInterface;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'spool:work', description: 'Deliver what is in the buffer about once a second, until told to stop')]
final class WorkCommand extends Command implements SignalableCommandInterface
{
    /** One bucket's backlog must not keep the others waiting. */
    private const SECONDS_PER_TURN = 5;

    private const SECONDS_BETWEEN_CLEANING = 60;

    private bool $stop = false;

    private readonly FailureLog $log;

    private readonly IntervalSync $disk;

    public function __construct(private readonly Runtime $spool)
    {
        parent::__construct();
        $this->log = new FailureLog($spool);
        $this->disk = new IntervalSync($spool);
    }

    public function configure(): void
    {
        $this->addOption('sleep', null, InputOption::VALUE_REQUIRED, 'Milliseconds between two rounds', '1000')
            ->addOption('max-time', null, InputOption::VALUE_REQUIRED, 'Stop after so many seconds')
            ->addOption('stop-when-empty', null, InputOption::VALUE_NONE, 'Stop when a round finds nothing')
            ->setHelp('SIGTERM and SIGINT finish the bucket at hand, for five seconds at most, and stop. Killing it at any moment loses nothing. Exit codes: 0 stopped as asked, 1 the configuration is wrong, 2 wrong usage.');
    }

    public function run(InputInterface $input, OutputInterface $output): int
    {
        return (new Usage($output))->guard(fn (): int => parent::run($input, $output));
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $numbers = new Numbers($input);
        $sleep = 1000 * ($numbers->natural('sleep') ?? 1000);
        $maxTime = $numbers->positive('max-time');
        $started = $this->spool->clock()->monotonicNanos();
        $cleaned = $started;

        while (! $this->stop && ($maxTime === null || $this->secondsSince($started) < $maxTime)) {
            $delivered = $this->round($output);

            if ($this->secondsSince($cleaned) >= self::SECONDS_BETWEEN_CLEANING) {
                $this->clean($output);
                $cleaned = $this->spool->clock()->monotonicNanos();
            }

            if ($delivered === 0 && $input->getOption('stop-when-empty') === true) {
                break;
            }

            // After a busy round as well: a steady trickle would otherwise be sealed into a segment per event.
            $this->spool->clock()->sleep($this->stop ? 0 : $sleep);
        }

        return Command::SUCCESS;
    }

    /** @return list<int> */
    public function getSubscribedSignals(): array
    {
        return defined('SIGTERM') ? [SIGTERM, SIGINT] : [];
    }

    public function handleSignal(int $signal, int|false $previousExitCode = 0): int|false
    {
        $this->stop = true;

        return false;
    }

    private function round(OutputInterface $output): int
    {
        $delivered = 0;

        foreach ($this->spool->config()->names() as $name) {
            if ($this->stop) {
                break;
            }

            if ($this->spool->isUntouched($name)) {
                continue;
            }

            $this->disk->round($name, $output);
            $report = $this->spool->flusher()->flush($name, new Limits(seconds: self::SECONDS_PER_TURN));
            $delivered += $report->delivered;
            $this->log->note($report);

            if ($report->delivered > 0 || $report->failure !== null || $report->losses !== []) {
                (new ReportLines($output))->print($report);
            }
        }

        return $delivered;
    }

    private function clean(OutputInterface $output): void
    {
        foreach ($this->spool->config()->names() as $name) {
            try {
                if (! $this->spool->isUntouched($name)) {
                    $this->spool->cleaner($name)->clean($this->spool->config()->completedTtl());
                }
            } catch (HeadroomException $e) {
                (new Usage($output))->complain("{$name}: {$e->getMessage()}");
            }
        }
    }

    private function secondsSince(int $nanos): int
    {
        return intdiv($this->spool->clock()->monotonicNanos() - $nanos, 1_000_000_000);
    }
}
