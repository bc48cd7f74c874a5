<?php

declare(strict_types=1);

namespace Headroom\Console\Spool\DeadLetters;

use Headroom\Console\Spool\SpoolCommand;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'spool:retry', description: 'Put dead letters back into the buffer')]
final class RetryCommand extends SpoolCommand
{
    public function configure(): void
    {
        DeadLetterSelection::define($this)
            ->addJsonOption()
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command puts the events of dead letters back into the buffer, behind
                all events that wait. Each event keeps its id. The next flush delivers them.

                    <info>php %command.full_name% api-events:1-116-1</info>
                    <info>php %command.full_name% --bucket=api-events</info>
                    <info>php %command.full_name% all</info>

                Exit codes:

                  0  done, or there are none
                  1  there is no such dead letter, it cannot be read, or the buffer does not accept it
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $selection = DeadLetterSelection::of($input, $this->spool);

        if ($selection->isEmpty() && $selection->missing !== []) {
            return $this->errors($input, $output)->fail(implode(' ', $selection->errors()));
        }

        $counts = [];

        foreach ($selection->buckets as $in) {
            $letters = $in->readable();
            $counts[$in->bucket] = $letters === []
                ? 0
                : $this->spool->bucketTools($in->bucket)->letters()->retry(BucketDeadLetters::positions($letters));
        }

        (new DeadLetterFormatter($output, self::isJson($input)))->retried($counts, $selection->missing);
        array_map($this->errors($input, $output)->error(...), $selection->errors());

        return $selection->errors() === [] ? self::SUCCESS : self::FAILURE;
    }
}
