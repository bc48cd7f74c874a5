<?php

declare(strict_types=1);

namespace Headroom\Console\Spool;

use Headroom\Console\JsonOutput;
use Headroom\Console\Spool\Output\ClusterStatusTable;
use Headroom\Console\Spool\Output\StatusTable;
use Headroom\Console\TerminalStyles;
use Headroom\Core\Finding;
use Headroom\Spool\BucketStatus;
use Headroom\Spool\Health\EventsAreNotDelivered;
use Headroom\Spool\Health\FunctionsAreDisabled;
use Headroom\Spool\Health\NodesAreSilent;
use Headroom\Spool\Monitoring\BucketProblems;
use Headroom\Spool\Services\SpoolMetrics;
use Headroom\Spool\SpoolStatus;
use Headroom\Support\TerminalText;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Exception\InvalidOptionException;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'spool:status', description: 'Show how many events are accepted, delivered and pending')]
final class StatusCommand extends SpoolCommand
{
    public function configure(): void
    {
        $this->addOption('all', null, InputOption::VALUE_NONE, 'Show all machines, by their heartbeats')
            ->addOption('prometheus', null, InputOption::VALUE_NONE, 'Print metrics for Prometheus; asks no sink')
            ->addJsonOption();
        StatusThresholds::define($this);
        $this->setHelp(<<<'HELP'
                The <info>%command.name%</info> command counts the events of each bucket:
                accepted = delivered + dead + dropped + pending + missing.

                    <info>php %command.full_name%</info>
                    <info>php %command.full_name% --max-pending=100000 --max-age=300</info>
                    <info>php %command.full_name% --max-missing=40</info>
                    <info>php %command.full_name% --all --json</info>
                    <info>php %command.full_name% --prometheus</info>

                "direct" events went straight to the sink because the buffer could not accept them, "bypassed" events
                because the caller or the configuration asked for that. Both count as delivered. The durability shown is
                that of the application; a collector uses "power" for a bucket without a durability of its own.

                With --prometheus it prints the numbers of this machine as text for Prometheus. It reads the progress
                that flushes have saved and asks no sink, so it also ends while a database hangs. The exit code means
                the same.

                With --all, only --max-pending and --max-age apply, to the sums.

                Exit codes:

                  0  all is well
                  1  the last flush of a bucket failed, a threshold is exceeded, nothing has delivered events for five
                     minutes, events are missing or in a bucket that is not declared, a bucket cannot be read, another
                     machine has the id of this one, a PHP function that the buffer needs is disabled, or with --all a
                     machine with events is silent
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $thresholds = StatusThresholds::from($input);

        $isPrometheus = $input->getOption('prometheus') === true;

        if ($isPrometheus && ($input->getOption('all') === true || self::isJson($input))) {
            throw new InvalidOptionException('--prometheus prints this machine only: leave out --all and --json.');
        }

        if ($input->getOption('all') === true) {
            return $this->all($input, $output, $thresholds);
        }

        $status = $isPrometheus ? $this->spool->statusWithoutSql() : $this->spool->status();
        $missing = array_filter(
            (new FunctionsAreDisabled($this->spool->config()))->findings(),
            static fn (Finding $problem): bool => $problem->fatal,
        );
        $problems = [
            ...array_values($missing),
            ...($isPrometheus ? [] : (new NodesAreSilent($this->spool))->ownDuplicates()),
            ...($thresholds->age === null ? $this->late($status) : []),
        ];
        $exceeded = $thresholds->exceeded(
            $status->pending(),
            $status->oldestSeconds(),
            array_sum(array_map(static fn (BucketStatus $bucket): int => $bucket->storage->letters, $status->buckets)),
        );

        match (true) {
            $isPrometheus => $output->write(
                (new SpoolMetrics($this->spool))->text($status),
                false,
                OutputInterface::OUTPUT_RAW,
            ),
            self::isJson($input) =>
                (new JsonOutput($output))->print([...$status->toArray(), 'problems' => $problems]),
            default => $this->print($status, $problems, $exceeded, $output),
        };

        $isWrong = array_filter(
            $status->buckets,
            static fn (BucketStatus $bucket): bool => $bucket->isForked
                || $bucket->setBack !== null
                || $bucket->flush->trouble !== null
                || ($bucket->sink === null && $bucket->events->pending > 0),
        ) !== [];
        $isLoss = array_filter(
            $status->buckets,
            static fn (BucketStatus $bucket): bool => $bucket->events->missing < 0,
        ) !== [] || $thresholds->isLoss(array_sum(array_map(
            static fn (BucketStatus $bucket): int => $bucket->events->missing,
            $status->buckets,
        )));

        return $status->hasErrors() || $isWrong || $isLoss || $exceeded !== [] || $problems !== []
            ? self::FAILURE
            : self::SUCCESS;
    }

    /**
     * Finds buckets that nothing delivers. In maintenance mode no bucket is delivered, which is intended.
     *
     * @return list<Finding>
     */
    private function late(SpoolStatus $status): array
    {
        $check = new EventsAreNotDelivered($this->spool);
        $late = [];

        foreach ($this->spool->isInMaintenance() ? [] : $status->buckets as $bucket) {
            $finding = $bucket->isForked || $bucket->flush->trouble !== null ? null : $check->lateness($bucket);

            if ($finding?->fatal === true) {
                $late[] = new Finding(
                    $finding->subject,
                    "{$bucket->bucket}: ".lcfirst($finding->message),
                    "{$finding->fix} See docs/errors.md#nothing-delivers.",
                );
            }
        }

        return $late;
    }

    private function all(InputInterface $input, OutputInterface $output, StatusThresholds $thresholds): int
    {
        $nodes = ClusterStatusTable::of($this->spool);

        if (is_string($nodes)) {
            return $this->errors($input, $output)->fail($nodes);
        }

        $exceeded = $thresholds->exceeded($nodes->pending(), $nodes->oldestSeconds());

        if (self::isJson($input)) {
            (new JsonOutput($output))->print($nodes->toArray());
        } else {
            $nodes->print($output);
            TerminalStyles::print($output, $exceeded, ['/^/' => 'warning']);
        }

        return $nodes->isWrong() || $exceeded !== [] ? self::FAILURE : self::SUCCESS;
    }

    /**
     * @param list<Finding> $problems
     * @param list<string> $exceeded
     */
    private function print(SpoolStatus $status, array $problems, array $exceeded, OutputInterface $output): void
    {
        if ($status->buckets === []) {
            $output->writeln('No bucket is declared under spool.buckets, and nothing has been buffered.');

            return;
        }

        (new StatusTable($output))->print($status->buckets);
        $warnings = $exceeded;

        if (! $status->enabled) {
            $warnings[] = 'The buffer is turned off (spool.enabled): events go straight to their sinks. Pending events'
                .' are still flushed.';
        }

        foreach ($problems as $problem) {
            $warnings[] = "{$problem->message} {$problem->fix}";
        }

        foreach ($status->buckets as $bucket) {
            foreach ((new BucketProblems)->of($bucket) as $problem) {
                $warnings[] = "{$bucket->bucket}: {$problem->words()}";
            }
        }

        TerminalStyles::print($output, array_map(TerminalText::line(...), $warnings), ['/^/' => 'warning']);
    }
}
