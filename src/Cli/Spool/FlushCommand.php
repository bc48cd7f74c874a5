<?php

declare(strict_types=1);

namespace Headroom\Cli\Spool;

use Headroom\Core\HeadroomException;
use Headroom\Spool\FailureLog;
use Headroom\Spool\Flush\Limits;
use Headroom\Spool\Runtime;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Exception\InvalidArgumentException;
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

    public function run(InputInterface $input, OutputInterface $output): int
    {
        return (new Usage($output))->guard(fn (): int => parent::run($input, $output));
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $numbers = new Numbers($input);
        $limits = new Limits($numbers->positive('limit'), $numbers->positive('max-time'));
        $buckets = $this->buckets($input->getArgument('bucket'));
        $failed = false;

        if ($buckets === []) {
            $output->writeln('No bucket is declared in config/spool.php, so there is nothing to flush.');
        }

        foreach ($buckets as $name) {
            if ($this->spool->isUntouched($name)) {
                $output->writeln("{$name}: nothing has been buffered yet");
            } else {
                $failed = ! $this->flush($name, $limits, $output) || $failed;
            }
        }

        if ($failed) {
            $this->explain($output);
        }

        return $failed ? Command::FAILURE : Command::SUCCESS;
    }

    /** @return list<string> */
    private function buckets(mixed $asked): array
    {
        $declared = $this->spool->config()->names();

        if (! is_string($asked)) {
            return $declared;
        }

        return in_array($asked, $declared, true) ? [$asked] : throw new InvalidArgumentException(
            "Bucket '{$asked}' is not declared in config/spool.php, so nothing says where its events go. Declared: ".($declared === [] ? 'none' : implode(', ', $declared)).'.'
        );
    }

    private function flush(string $bucket, Limits $limits, OutputInterface $output): bool
    {
        $report = $this->spool->flusher()->flush($bucket, $limits);

        // Every flush tidies up behind itself, so that no second thing has to be scheduled.
        if (! $report->busy && $report->isDelivered()) {
            try {
                $this->spool->cleaner($bucket)->clean($this->spool->config()->completedTtl());
            } catch (HeadroomException $e) {
                $report->failed($report->failure ?? $e);
            }
        }

        (new ReportLines($output))->print($report);
        (new FailureLog($this->spool))->note($report);

        return $report->failure === null;
    }

    /** Most failures of a new installation are another user's directories. */
    private function explain(OutputInterface $output): void
    {
        foreach ($this->spool->health()->store() as $problem) {
            if ($problem->fatal) {
                (new Usage($output))->complain("To mend it: {$problem->mend}");
            }
        }
    }
}
