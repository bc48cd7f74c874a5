<?php

declare(strict_types=1);

namespace Headroom\Console\Spool;

use Headroom\Console\CurrentProgram;
use Headroom\Console\JsonOutput;
use Headroom\Console\ProgressIndicator;
use Headroom\Console\Prompt;
use Headroom\Console\Spool\Output\FlushProgress;
use Headroom\Console\Spool\Output\FlushReportDocument;
use Headroom\Console\Spool\Output\FlushReportFormatter;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\BucketStatus;
use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\Delivery\FlushReport;
use Headroom\Spool\Recovery\ForeignBufferCheck;
use Headroom\Spool\Recovery\UnableToAdopt;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\Worker\FailureLog;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Exception\InvalidArgumentException;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Helper\QuestionHelper;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;
use Symfony\Component\Console\Question\ConfirmationQuestion;
use Throwable;

/**
 * @internal
 */
#[AsCommand(
    name: 'spool:adopt',
    description: 'Deliver the events that a dead machine or an old release left in its buffer',
)]
final class AdoptCommand extends SpoolCommand
{
    public function configure(): void
    {
        $this->addArgument(
            'directory',
            InputArgument::REQUIRED,
            "The other buffer, mounted or copied here: the directory with 'node' and 'buckets'",
        )
            ->addArgument('bucket', InputArgument::OPTIONAL, 'Only this bucket')
            ->addOption('dry-run', null, InputOption::VALUE_NONE, 'Only show what would be delivered')
            ->addOption(
                'force',
                null,
                InputOption::VALUE_NONE,
                'Do not ask whether all other machines have stopped using it',
            )
            ->addJsonOption('Print JSON; needs --force or --dry-run')
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command delivers the events of another buffer: of a dead machine, or of
                an old release. It delivers them in place, with the node id and the ledger rows of that buffer, to the
                sinks of this application. You can kill it and run it again.

                    <info>php %command.full_name% /mnt/web-3/storage/app/private/buffer --dry-run</info>
                    <info>php %command.full_name% /mnt/web-3/storage/app/private/buffer</info>

                Make sure that no process on another machine writes to that buffer or flushes it: file locks do not
                reach another machine.

                Exit codes:

                  0  nothing is left, or it was a dry run
                  1  events are left, or the buffer cannot be adopted
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $adopted = $this->spool->at($this->directory($input->getArgument('directory')));
        $isJson = self::isJson($input);
        $node = (new ForeignBufferCheck(
            $this->spool->store(),
            $adopted->store(),
            $this->spool->config()->allowNetworkFilesystem(),
        ))->check();
        $buckets = $this->buckets($adopted, $input->getArgument('bucket'));
        $isDry = $input->getOption('dry-run') === true;

        if (! $isJson) {
            $output->writeln(OutputFormatter::escape("{$adopted->store()->root} is the buffer of node {$node}."));
        }

        if (! $isDry) {
            $this->confirm($adopted, $input, $output, $isJson);
        }

        $reports = $isDry ? [] : $this->deliver($adopted, $buckets, $output, $isJson);

        $exit = $this->account(
            $adopted,
            $node,
            $buckets,
            $reports,
            $isDry,
            $isJson ? new JsonOutput($output) : null,
            $output,
        );

        if (! $isDry && $exit === self::SUCCESS && count($buckets) === count($adopted->store()->buckets())) {
            $this->forget($node);
        }

        return $exit;
    }

    /** The heartbeats of that machine would still report the events that are now delivered. */
    private function forget(string $node): void
    {
        try {
            $this->spool->nodes()?->forget($node);
        } catch (Throwable) {
            // The operator can call spool:forget-node when the database answers again.
        }
    }

    private function directory(mixed $directory): string
    {
        $path = is_string($directory) ? rtrim($directory, '/') : '';

        if ($path === '') {
            throw new InvalidArgumentException(
                "The directory is empty, or the root of the filesystem. Name the directory that holds 'node' and "
                    ."'buckets'.",
            );
        }

        return $path[0] === '/' ? $path : CurrentProgram::directory()."/{$path}";
    }

    /** @return list<string> */
    private function buckets(SpoolServices $adopted, mixed $asked): array
    {
        $there = $adopted->store()->buckets();

        return match (true) {
            ! is_string($asked) => $there,
            in_array($asked, $there, true) => [$asked],
            default => throw new InvalidArgumentException(
                "Bucket '{$asked}' is not in {$adopted->store()->root}. There: "
                    .($there === [] ? 'none' : implode(', ', $there)).'.',
            ),
        };
    }

    /** @throws UnableToAdopt */
    private function confirm(SpoolServices $adopted, InputInterface $input, OutputInterface $output, bool $isJson): void
    {
        if ($input->getOption('force') === true) {
            return;
        }

        $question = new ConfirmationQuestion(
            'Have all processes on other machines stopped writing to it and flushing it? (yes/no) [no] ',
            false,
        );

        if ($isJson || ! Prompt::isPossible($input) || (new QuestionHelper)->ask($input, $output, $question) !== true) {
            throw UnableToAdopt::unconfirmed($adopted->store()->root);
        }
    }

    /**
     * @param list<string> $buckets
     * @return array<string, FlushReport> by bucket
     */
    private function deliver(SpoolServices $adopted, array $buckets, OutputInterface $output, bool $isJson): array
    {
        $reports = [];
        $log = new FailureLog($adopted);

        foreach (array_intersect($buckets, (new BucketArgument($this->spool))->withSink([])) as $bucket) {
            $bar = new ProgressIndicator($output);
            $backlog = new FlushProgress($bar, $adopted->store()->layout($bucket), $bucket);
            $report = $adopted->flusher()
                ->flush($bucket, new FlushOptions(now: true, watch: $isJson ? null : $backlog->advance(...)));
            $bar->end();
            $log->note($report);
            $reports[$bucket] = $report;

            if (! $isJson) {
                (new FlushReportFormatter($output, $adopted->advice(...)))->print($report);
            }
        }

        return $reports;
    }

    /**
     * @param list<string> $buckets
     * @param array<string, FlushReport> $reports
     */
    private function account(
        SpoolServices $adopted,
        string $node,
        array $buckets,
        array $reports,
        bool $isDry,
        ?JsonOutput $answer,
        OutputInterface $output,
    ): int {
        $seen = array_values(array_filter(
            $adopted->statusOfDisk()->buckets,
            static fn (BucketStatus $bucket): bool => in_array($bucket->bucket, $buckets, true),
        ));
        $left = array_values(array_filter(
            $seen,
            fn (BucketStatus $bucket): bool => $this->isLeft($bucket, $reports[$bucket->bucket] ?? null),
        ));
        $document = [
            'ok' => $left === [],
            'dry_run' => $isDry,
            'path' => $adopted->store()->root,
            'node' => $node,
            'buckets' => array_map(static fn (BucketStatus $bucket): array => [
                ...$bucket->toArray(),
                'flush' => isset($reports[$bucket->bucket])
                    ? (new FlushReportDocument($reports[$bucket->bucket]))->toArray()
                    : null,
            ], $seen),
        ];
        array_walk_recursive($document, static function (mixed &$member) use ($adopted): void {
            $member = is_string($member) ? $adopted->advice($member) : $member;
        });
        $answer?->print($document);

        if ($answer === null) {
            array_map(
                fn (BucketStatus $bucket)
                    => $output->writeln(OutputFormatter::escape($adopted->advice($this->line($bucket)))),
                $seen,
            );
            $output->writeln(OutputFormatter::escape($this->end($adopted, $seen, $left, $isDry)));
        }

        return $isDry || $left === [] ? self::SUCCESS : self::FAILURE;
    }

    private function isLeft(BucketStatus $bucket, ?FlushReport $report): bool
    {
        $isLeft = $bucket->events->pending > 0 || $bucket->events->missing !== 0 || $bucket->error !== null;

        // Any machine can deliver the events that are in Redis.
        return $isLeft || ($bucket->store !== 'redis' && ($report?->failure !== null || $report?->busy === true));
    }

    private function line(BucketStatus $bucket): string
    {
        return "{$bucket->bucket}: accepted {$bucket->events->accepted} = "
            .($bucket->store === 'redis' ? 'in Redis or ' : '')
            ."delivered {$bucket->events->delivered} + dead {$bucket->events->dead} + dropped"
            ." {$bucket->events->dropped} + pending {$bucket->events->pending} + missing {$bucket->events->missing}"
            .($bucket->sink === null
                ? '; it is not declared under spool.buckets here, so its events have no sink'
                : '')
            .($bucket->sink === BucketConfig::CALLBACK && $bucket->events->pending > 0
                ? '; it has no sink here: declare one, or set SPOOL_PATH to that directory and flush it with the'
                    .' callback'
                : '')
            .($bucket->error === null ? '' : "; {$bucket->error}");
    }

    /** @param list<BucketStatus> $seen */
    private function kept(SpoolServices $adopted, array $seen): string
    {
        $letters = array_filter($seen, static fn (BucketStatus $bucket): bool => $bucket->storage->letters > 0);
        $commands = implode(
            ' and ',
            array_map(static fn (BucketStatus $bucket): string => "`spool:failed {$bucket->bucket}`", $letters),
        );
        $commands = $adopted->advice($commands);
        $damaged = array_sum(array_map(static fn (BucketStatus $bucket): int => $bucket->storage->damaged, $seen));

        return match (true) {
            $commands !== '' =>
                "It holds dead letters, which {$commands} shows and retries there. Once you have looked at them"
                    .($damaged > 0 ? ' and at its quarantine directories' : '').', ',
            $damaged > 0 => 'Once you have looked at its quarantine directories, ',
            default => '',
        };
    }

    /**
     * @param list<BucketStatus> $seen
     * @param list<BucketStatus> $left
     */
    private function end(SpoolServices $adopted, array $seen, array $left, bool $isDry): string
    {
        $names = implode(', ', array_map(static fn (BucketStatus $bucket): string => $bucket->bucket, $left));
        $isInRedis = in_array(
            'redis',
            array_map(static fn (BucketStatus $bucket): string => $bucket->store, $seen),
            true,
        );

        return match (true) {
            $seen === [] => 'Nothing was ever buffered there.',
            $left === [] && count($seen) < count($adopted->store()->buckets()) =>
                'The bucket is delivered. The buffer has other buckets; `--dry-run` without a bucket shows'
                    .' their events.',
            $left === [] => ($isInRedis
                ? 'Everything in it is delivered, or in Redis.'
                : 'Everything in it is delivered.')
                ." {$this->kept($adopted, $seen)}{$adopted->store()->root} can be removed.",
            $isDry => "A dry run: nothing was delivered or changed. Buckets with events left: {$names}.",
            default => "Events are left in: {$names}. Fix the cause and run this command again; it delivers no event "
                .'twice.',
        };
    }
}
