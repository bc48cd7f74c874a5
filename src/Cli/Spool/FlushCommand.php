<?php

declare(strict_types=1);

namespace Headroom\Cli\Spool;

use Headroom\Spool\Flush\FlushReport;
use Headroom\Spool\Flush\Limits;
use Headroom\Spool\Runtime;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'spool:flush', description: 'Deliver what is in the buffer to its sinks')]
final class FlushCommand extends Command
{
    public function __construct(private readonly Runtime $spool)
    {
        parent::__construct();
    }

    public function configure(): void
    {
        $this->addArgument('bucket', InputArgument::OPTIONAL, 'Only this bucket')
            ->addOption('limit', null, InputOption::VALUE_REQUIRED, 'Stop after so many events per bucket')
            ->addOption('max-time', null, InputOption::VALUE_REQUIRED, 'Stop after so many seconds per bucket')
            ->setHelp('Exit codes: 0 all delivered, 1 a bucket failed (its events stay in the buffer), 2 wrong usage.');
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $numbers = new Numbers($input);
        $limits = new Limits($numbers->positive('limit'), $numbers->positive('max-time'));
        $bucket = $input->getArgument('bucket');
        $buckets = is_string($bucket) ? [$bucket] : array_keys($this->spool->config()->buckets);
        $failed = false;

        if ($buckets === []) {
            $output->writeln('No bucket is declared in config/spool.php, so there is nothing to flush.');
        }

        foreach ($buckets as $name) {
            $report = $this->spool->flusher()->flush($name, $limits);
            (new ReportLines($output))->print($report);
            $failed = $failed || $report->failure !== null;
            $this->clean($report);
        }

        return $failed ? Command::FAILURE : Command::SUCCESS;
    }

    /** Every flush tidies up behind itself, so that no second thing has to be scheduled. */
    private function clean(FlushReport $report): void
    {
        if (! $report->busy && $report->failure === null) {
            $this->spool->cleaner($report->bucket)->clean($this->spool->config()->completedTtl);
        }
    }
}
