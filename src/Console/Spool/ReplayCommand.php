<?php

declare(strict_types=1);

namespace Headroom\Console\Spool;

use DateTimeImmutable;
use DateTimeZone;
use Exception;
use Headroom\Console\JsonOutput;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\InvalidBucket;
use Headroom\Spool\Recovery\Replay;
use Headroom\Spool\Recovery\ReplayFrom;
use Headroom\Spool\Recovery\ReplayReport;
use Headroom\Support\TerminalText;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Exception\InvalidOptionException;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'spool:replay', description: 'Set the position in the log from which the next flush delivers')]
final class ReplayCommand extends SpoolCommand
{
    public function configure(): void
    {
        $this->addArgument('bucket', InputArgument::REQUIRED, 'The bucket')
            ->addOption('from-start', null, InputOption::VALUE_NONE, 'Start at the oldest event on disk')
            ->addOption(
                'from-now',
                null,
                InputOption::VALUE_NONE,
                'Start at the first event that this disk has not recorded as delivered, after a change of the database',
            )
            ->addOption(
                'since',
                null,
                InputOption::VALUE_REQUIRED,
                'Start at the first event accepted at this time or later, such as "2026-01-31 14:00"; UTC by default',
            )
            ->addOption('again', null, InputOption::VALUE_NONE, 'Proceed even if events are delivered twice')
            ->addOption('dry-run', null, InputOption::VALUE_NONE, 'Only show what would be done')
            ->addJsonOption()
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command sets the position in the log from which the next flush delivers.
                It never skips an event that was not delivered. Delivered events stay on disk for
                spool.retention seconds.

                    <info>php %command.full_name% api-events --from-now --dry-run</info>
                    <info>php %command.full_name% api-events --from-now</info>
                    <info>php %command.full_name% api-events --since="-2 hours" --again</info>

                Exit codes:

                  0  done, or it was a dry run
                  1  not done
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $bucket = $this->bucket($input->getArgument('bucket'));
        $from = $this->from($input);
        $isTrial = $input->getOption('dry-run') === true;
        $report = (new Replay(
            $this->spool->stores(),
            $this->spool->sinks(),
        ))->run($bucket, $from, $input->getOption('again') === true, $isTrial);

        if (self::isJson($input)) {
            (new JsonOutput($output))->print([
                'bucket' => $bucket->name,
                'cursor' => $report->cursor->toString(),
                'again' => $report->redelivered,
                'unknown' => $report->unknown,
                'waiting' => $report->waiting,
                'done' => $report->isDone,
            ]);
        } else {
            $output->writeln(OutputFormatter::escape($this->words($bucket->name, $report, $isTrial)));
        }

        return $report->isDone || $isTrial ? self::SUCCESS : self::FAILURE;
    }

    /** @throws InvalidBucket */
    private function bucket(mixed $asked): BucketConfig
    {
        $name = is_string($asked) ? $asked : '';

        return $this->spool->config()->bucket($name) ?? throw InvalidBucket::undeclared($name);
    }

    /** @throws InvalidOptionException */
    private function from(InputInterface $input): ReplayFrom
    {
        $since = $input->getOption('since');
        $isStart = $input->getOption('from-start') === true;
        $isNow = $input->getOption('from-now') === true;

        if ((int) $isStart + (int) $isNow + (int) ($since !== null) !== 1) {
            throw new InvalidOptionException('Give exactly one of --from-start, --from-now and --since=TIME.');
        }

        return match (true) {
            $isStart => ReplayFrom::start(),
            $isNow => ReplayFrom::now(),
            default => ReplayFrom::since(self::micros(is_string($since) ? $since : '')),
        };
    }

    /** @throws InvalidOptionException */
    private static function micros(string $text): int
    {
        try {
            return (new DateTimeImmutable($text, new DateTimeZone('UTC')))->getTimestamp() * 1_000_000;
        } catch (Exception) {
            throw new InvalidOptionException(
                "--since is '{$text}'. It must be a time, such as \"2026-01-31 14:00\" or \"-2 hours\".",
            );
        }
    }

    private function obstacle(ReplayReport $report): string
    {
        $twice = $report->redelivered === 0
            ? ''
            : TerminalText::count($report->redelivered, 'event')
                .' would be delivered a second time. ';

        return rtrim($twice.($report->unknown === 0
            ? ''
            : TerminalText::count($report->unknown, 'event').' of an interrupted batch may be in the sink already, and '
                .'would get another batch id here. `spool:flush` sends them again under the id they have.'));
    }

    private function words(string $bucket, ReplayReport $report, bool $isTrial): string
    {
        $again = "{$report->redelivered} of them again"
            .($report->unknown > 0
                ? '; a batch of '.TerminalText::count($report->unknown, 'event')
                    .' was interrupted, and it is not known whether the sink has it'
                : '')
            .'.';

        return match (true) {
            $report->isDone =>
                "{$bucket}: the cursor is now at {$report->cursor->toString()}; the next flush delivers "
                    .TerminalText::count($report->waiting, 'event').", {$again}",
            $isTrial =>
                "{$bucket}: the cursor would be at {$report->cursor->toString()}; the next flush would deliver "
                    .TerminalText::count($report->waiting, 'event').", {$again}",
            default =>
                "{$bucket}: {$this->obstacle($report)} Nothing was changed. Add --again to do it anyway.",
        };
    }
}
