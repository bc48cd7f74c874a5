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
#[AsCommand(name: 'spool:replay', description: 'Set the place in the log from which the next flush delivers')]
final class ReplayCommand extends SpoolCommand
{
    public function configure(): void
    {
        $this->addArgument('bucket', InputArgument::REQUIRED, 'The bucket')
            ->addOption('from-start', null, InputOption::VALUE_NONE, 'From the oldest event on disk')
            ->addOption(
                'from-now',
                null,
                InputOption::VALUE_NONE,
                'From the first event that this disk knows as not delivered: after a change of the database',
            )
            ->addOption(
                'since',
                null,
                InputOption::VALUE_REQUIRED,
                'From the first event that was accepted at this time or later, such as "2026-01-31 14:00"; UTC by default',
            )
            ->addOption('again', null, InputOption::VALUE_NONE, 'Also if events are delivered twice')
            ->addOption('dry-run', null, InputOption::VALUE_NONE, 'Only show what would be done')
            ->addJsonOption()
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command sets the place in the log from which the next flush delivers. It never skips an event that
                was not delivered. Delivered events stay on disk for spool.retention seconds.

                    <info>%command.full_name% api-events --from-now --dry-run</info>
                    <info>%command.full_name% api-events --from-now</info>
                    <info>%command.full_name% api-events --since="-2 hours" --again</info>

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
                'again' => $report->again,
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
            throw new InvalidOptionException('Say one of --from-start, --from-now and --since=TIME.');
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
        $twice = $report->again === 0
            ? ''
            : TerminalText::count($report->again, 'event')
                .' before the place up to which everything counts as delivered would arrive again. ';

        return rtrim($twice.($report->unknown === 0 ? '' : TerminalText::count($report->unknown, 'event').' may have arrived already: a batch was begun, and nobody knows how it ended. They would get another id; `spool:flush` hands them over under the one that they have.'));
    }

    private function words(string $bucket, ReplayReport $report, bool $isTrial): string
    {
        $again = "{$report->again} of them again"
            .($report->unknown > 0
                ? '; a batch of '.TerminalText::count($report->unknown, 'event')
                    .' was begun, and it is not known whether the sink has had it'
                : '')
            .'.';

        return match (true) {
            $report->isDone =>
                "{$bucket}: the cursor stands at {$report->cursor->toString()} now; the next flush delivers "
                    .TerminalText::count($report->waiting, 'event').", {$again}",
            $isTrial =>
                "{$bucket}: the cursor would stand at {$report->cursor->toString()}; the next flush would deliver "
                    .TerminalText::count($report->waiting, 'event').", {$again}",
            default =>
                "{$bucket}: {$this->obstacle($report)} Nothing was changed; add --again if that is what you want.",
        };
    }
}
