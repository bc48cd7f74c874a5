<?php

declare(strict_types=1);

namespace Headroom\Console\Spool;

use DateTimeImmutable;
use DateTimeZone;
use Exception;
use Headroom\Console\JsonOutput;
use Headroom\Spool\Recovery\NewIdBucket;
use Headroom\Spool\Recovery\NewIdReport;
use Headroom\Spool\Recovery\NodeIdReplacement;
use Headroom\Support\TerminalText;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Exception\InvalidOptionException;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'spool:new-id', description: 'Give this disk a new id after a restore or a copy')]
final class NewIdCommand extends SpoolCommand
{
    public function configure(): void
    {
        $this->addOption(
            'copied-at',
            null,
            InputOption::VALUE_REQUIRED,
            'Time of the copy with its offset, such as "2026-01-31T14:00:00Z"; the other copy delivers earlier events',
        )
            ->addOption(
                'all',
                null,
                InputOption::VALUE_NONE,
                'Deliver all pending events here, because no other copy has delivered them',
            )
            ->addJsonOption()
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command gives this disk a new id, after a snapshot was restored or the
                disk was copied. It changes nothing without --copied-at or --all.

                    <info>php %command.full_name%</info>
                    <info>php %command.full_name% --copied-at="2026-01-31T14:00:00Z"</info>
                    <info>php %command.full_name% --all</info>

                Exit codes:

                  0  done
                  1  not done
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $copiedAt = $input->getOption('copied-at');
        $isAll = $input->getOption('all') === true;

        if ($isAll && $copiedAt !== null) {
            throw new InvalidOptionException('Give --copied-at=TIME or --all, not both.');
        }

        $report = (new NodeIdReplacement($this->spool))->run(
            is_string($copiedAt) ? $this->micros($copiedAt) : null,
            ! $isAll && $copiedAt === null,
        );

        self::isJson($input)
            ? (new JsonOutput($output))->print([
                'node' => $this->spool->store()->node(),
                'done' => $report->isDone,
                'buckets' => array_map(
                    static fn (NewIdBucket $bucket): array => [
                        'bucket' => $bucket->bucket,
                        'forked' => $bucket->isForked,
                        'waiting' => $bucket->waiting,
                        'elsewhere' => $bucket->leftToOtherCopy,
                        'last_elsewhere' => $bucket->lastLeftToOtherCopy,
                        'first_own' => $bucket->firstOwn,
                    ],
                    $report->buckets,
                ),
            ])
            : array_map(
                static fn (string $line) => $output->writeln(OutputFormatter::escape($line)),
                $this->lines($report),
            );

        return $report->isDone ? self::SUCCESS : self::FAILURE;
    }

    /** @return list<string> */
    private function lines(NewIdReport $report): array
    {
        $lines = array_map(static fn (NewIdBucket $bucket): string => sprintf(
            '%s: %s; %s waiting%s%s.',
            $bucket->bucket,
            $bucket->isForked ? 'forked' : 'did not fork',
            TerminalText::count($bucket->waiting, 'event'),
            $bucket->lastLeftToOtherCopy === null
                ? ''
                : ", {$bucket->leftToOtherCopy} of them are dead letters that the other copy delivers, accepted until "
                    .self::moment($bucket->lastLeftToOtherCopy),
            $bucket->firstOwn === null
                ? ''
                : ', the first '.($bucket->lastLeftToOtherCopy === null ? '' : 'of the others ').'accepted at '
                    .self::moment($bucket->firstOwn),
        ), $report->buckets);

        return $report->isDone
            ? [...$lines, "This disk now has the id {$report->node}. The next flush delivers the pending events."]
            : [
                ...$lines,
                'Nothing was changed. To give this disk an id of its own:',
                '  spool:new-id --copied-at=TIME   the other copy delivers the events accepted before TIME of the copy',
                '  spool:new-id --all              no other copy has delivered any of these events',
            ];
    }

    /** Has microseconds, so that an operator can pass the exact time to --copied-at. */
    private static function moment(int $micros): string
    {
        return gmdate('Y-m-d\TH:i:s', intdiv($micros, 1_000_000)).sprintf('.%06dZ', $micros % 1_000_000);
    }

    /**
     * Which events the other copy delivers must not depend on the time zone of this host.
     *
     * @throws InvalidOptionException
     */
    private function micros(string $text): int
    {
        try {
            [$east, $west] = array_map(
                static fn (string $zone): DateTimeImmutable => new DateTimeImmutable($text, new DateTimeZone($zone)),
                ['+01:00', '-01:00'],
            );
        } catch (Exception) {
            throw new InvalidOptionException(
                "--copied-at is '{$text}'. It must be a time with its offset, such as \"2026-01-31T14:00:00Z\", or "
                    .'"-2 hours".',
            );
        }

        $micros = (int) $east->format('Uu');

        if (abs($east->getTimestamp() - $west->getTimestamp()) > 60) {
            throw new InvalidOptionException(
                "--copied-at is '{$text}', which is a different moment in each time zone. Add the offset, such as "
                    .'"2026-01-31T14:00:00Z" or "2026-01-31T14:00:00+02:00".',
            );
        }

        return $micros <= $this->spool->clock()->micros()
            ? $micros
            : throw new InvalidOptionException(
                "--copied-at is {$east->format('Y-m-d H:i:s T')}, which is in the future. Give the time at which the "
                    .'copy was made.',
            );
    }
}
