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
#[AsCommand(name: 'spool:failed:show', description: 'Show dead letters with their events')]
final class FailedShowCommand extends SpoolCommand
{
    public function configure(): void
    {
        DeadLetterSelection::define($this)
            ->addJsonOption('Print one JSON document for all')
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command shows dead letters, each as a JSON object. It changes nothing.

                    <info>php %command.full_name% api-events:1-116-1</info>
                    <info>php %command.full_name% --bucket=api-events</info>

                Exit codes:

                  0  they are shown
                  1  there is no such dead letter, or it cannot be read
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $selection = DeadLetterSelection::of($input, $this->spool);

        if ($selection->isEmpty() && $selection->missing !== []) {
            return $this->errors($input, $output)->fail(implode(' ', $selection->errors()));
        }

        (new DeadLetterFormatter($output, self::isJson($input)))->show($selection->buckets);
        array_map($this->errors($input, $output)->error(...), $selection->errors());

        return $selection->errors() === [] ? self::SUCCESS : self::FAILURE;
    }
}
