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
#[AsCommand(name: 'spool:failed:export', description: 'Print dead letters as lines of JSON')]
final class FailedExportCommand extends SpoolCommand
{
    public function configure(): void
    {
        DeadLetterSelection::define($this)->setHelp(<<<'HELP'
            The <info>%command.name%</info> command prints dead letters, one JSON object a line, and keeps them.
            Without ids it prints all.

                <info>php %command.full_name% --bucket=api-events > refused.ndjson</info>
                <info>php %command.full_name% api-events:1-116-1</info>

            Exit codes:

              0  they are printed, or there are none
              1  there is no such dead letter, or it cannot be read
              2  wrong usage
            HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $selection = DeadLetterSelection::of($input, $this->spool, isAllByDefault: true);
        (new DeadLetterFormatter($output, true))->export($selection->buckets);
        array_map($this->errors($input, $output)->error(...), $selection->errors());

        return $selection->errors() === [] ? self::SUCCESS : self::FAILURE;
    }
}
