<?php

declare(strict_types=1);

namespace Headroom\Console\Spool;

use Headroom\Console\CommandGuard;
use Headroom\Console\JsonOutput;
use Headroom\Console\NumericOptions;
use Headroom\Console\ProgressIndicator;
use Headroom\Console\Spool\Output\FlushProgress;
use Headroom\Console\Spool\Output\FlushReportDocument;
use Headroom\Console\Spool\Output\FlushReportFormatter;
use Headroom\Core\Finding;
use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\Delivery\FlushReport;
use Headroom\Spool\Health\Health;
use Headroom\Spool\Health\NodesAreSilent;
use Headroom\Spool\Worker\AlertChecks;
use Headroom\Spool\Worker\DueBuckets;
use Headroom\Spool\Worker\FailureLog;
use Headroom\Spool\Worker\HeartbeatSender;
use Headroom\Support\PhpRestrictions;
use Headroom\Support\UnableToCall;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Exception\InvalidOptionException;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'spool:flush', description: 'Deliver the events in the buffer to their sinks')]
final class FlushCommand extends SpoolCommand
{
    public function configure(): void
    {
        $this->addArgument('bucket', InputArgument::OPTIONAL, 'Only this bucket')
            ->addOption('limit', null, InputOption::VALUE_REQUIRED, 'Stop a bucket after this many events')
            ->addOption('max-time', null, InputOption::VALUE_REQUIRED, 'Stop a bucket after this many seconds')
            ->addOption('now', null, InputOption::VALUE_NONE, 'Do not wait for the next attempt after a failure')
            ->addOption('bury', null, InputOption::VALUE_NONE, 'Make dead letters of the events that block a bucket')
            ->addOption(
                'scheduled',
                null,
                InputOption::VALUE_NONE,
                'Leave out buckets with a schedule of their own, unless a flush of them was begun or missed',
            )
            ->addJsonOption()
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command delivers the events of all buckets that have a sink. It does not
                delete anything: <info>queue:flush</info> deletes failed jobs, and <info>spool:forget all</info> is its
                counterpart here.

                    <info>php %command.full_name%</info>
                    <info>php %command.full_name% api-events --limit=10000</info>
                    <info>php %command.full_name% api-events --now</info>

                Exit codes:

                  0  every event is delivered, or is a dead letter
                  1  a bucket failed, or waits after a failure; its events stay in the buffer
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $numbers = new NumericOptions($input);
        $limits = new FlushOptions(
            $numbers->positive('limit'),
            $numbers->positive('max-time'),
            $input->getOption('now') === true,
            $input->getOption('bury') === true,
        );
        $buckets = $this->buckets($input);
        $isJson = self::isJson($input);
        $documents = [];
        $messages = [];
        $failed = false;

        if ($buckets === [] && (new BucketArgument($this->spool))->withSink([]) === []) {
            $this->writeLine(
                $isJson,
                $output,
                (new BucketArgument($this->spool))->noneWithSink().', so there is nothing to flush.',
            );
        }

        foreach ($buckets as $name) {
            if ($this->spool->isUntouched($name)) {
                $this->writeLine($isJson, $output, "{$name}: nothing has been buffered yet");
                $documents[] = $isJson ? FlushReportDocument::untouched($name) : [];

                continue;
            }

            $report = $this->flush($name, $limits, $isJson ? null : $output);
            $documents[] = $isJson ? (new FlushReportDocument($report))->toArray() : [];
            $messages = [...$messages, $report->reason() ?? ''];
            $failed = $failed || $report->failure !== null || $report->waiting !== null;
        }

        if ($input->getOption('scheduled') === true) {
            $this->observe(array_diff($this->spool->config()->names(), $buckets));
        }

        // If the heartbeat could not be written, the database does not answer and is not asked again.
        $twins = (new HeartbeatSender($this->spool))->beat() ? (new NodesAreSilent($this->spool))->ownDuplicates() : [];
        $fixes = $failed ? $this->fixes($messages) : [];
        $isJson
            ? (new JsonOutput($output))->print([
                'ok' => ! $failed,
                'buckets' => $documents,
                'mend' => $fixes,
                'problems' => $twins,
            ])
            : array_map((new CommandGuard($output))->error(...), [
                ...array_map(static fn (string $fix): string => "To fix it: {$fix}", $fixes),
                ...array_map(static fn (Finding $twin): string => "{$twin->message} {$twin->fix}", $twins),
            ]);

        (new AlertChecks($this->spool))->startIfDue();

        return $failed ? self::FAILURE : self::SUCCESS;
    }

    /**
     * Buckets with a schedule of their own have a backlog between two flushes, and the history shows how it grows.
     *
     * @param array<string> $buckets
     */
    private function observe(array $buckets): void
    {
        foreach ($buckets as $name) {
            if (! $this->spool->isUntouched($name)) {
                $this->spool->history()->observe($name);
            }
        }
    }

    /** @return list<string> */
    private function buckets(InputInterface $input): array
    {
        $asked = $input->getArgument('bucket');

        if ($input->getOption('scheduled') !== true) {
            return (new BucketArgument($this->spool))->withSink(is_string($asked) ? [$asked] : []);
        }

        return is_string($asked)
            ? throw new InvalidOptionException(
                '--scheduled selects the buckets that are due. Leave out either the bucket or --scheduled.',
            )
            : array_values(array_intersect(
                (new DueBuckets($this->spool))->eachMinute(),
                (new BucketArgument($this->spool))->withSink([]),
            ));
    }

    private function writeLine(bool $isJson, OutputInterface $output, string $words): void
    {
        if (! $isJson) {
            $output->writeln($words);
        }
    }

    /** @param ?OutputInterface $output null with --json */
    private function flush(string $bucket, FlushOptions $limits, ?OutputInterface $output): FlushReport
    {
        $bar = $output === null ? null : new ProgressIndicator($output);
        $backlog = $bar?->isShown() === true && ! $this->spool->stores()->isOnRedis($bucket)
            ? new FlushProgress($bar, $this->spool->store()->layout($bucket), $bucket)
            : null;
        $report = $this->spool->flush(
            $bucket,
            $backlog === null ? $limits : $limits->watchedBy($backlog->advance(...)),
        );
        $bar?->end();

        if ($output !== null) {
            (new FlushReportFormatter($output))->print($report);
        }

        (new FailureLog($this->spool))->note($report);

        return $report;
    }

    /**
     * Most failures of a new installation are directories of another user, which the checks of spool:health explain.
     *
     * @param list<string> $messages failure messages that are printed already
     * @return list<string>
     */
    private function fixes(array $messages): array
    {
        $isNew = static fn (string $fix): bool => ! str_contains(implode("\n", $messages), rtrim($fix, '.'));

        try {
            $problems = PhpRestrictions::within((new Health($this->spool))->store(...));
        } catch (UnableToCall) {
            return []; // The failure message names the disabled function.
        }

        $fatal = array_filter($problems, static fn (Finding $problem): bool => $problem->fatal);

        return array_values(array_unique(array_filter(
            array_map(static fn (Finding $problem): string => $problem->fix, $fatal),
            $isNew,
        )));
    }
}
