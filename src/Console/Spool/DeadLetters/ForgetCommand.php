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
#[AsCommand(name: 'spool:forget', description: 'Delete dead letters')]
final class ForgetCommand extends SpoolCommand
{
    public function configure(): void
    {
        DeadLetterSelection::define($this)
            ->addJsonOption()
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command deletes dead letters, also those that cannot be read. Their
                events still count as dead. To keep a copy, run <info>spool:failed:export</info> first.

                    <info>php %command.full_name% api-events:1-116-1</info>
                    <info>php %command.full_name% --bucket=api-events</info>
                    <info>php %command.full_name% all</info>

                To remove a machine from spool:status --all, use <info>spool:forget-node</info>.

                Exit codes:

                  0  done, or there are none
                  1  there is no such dead letter, or it cannot be deleted
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $selection = DeadLetterSelection::of($input, $this->spool);
        $missing = $selection->errorsOfMissing();

        if ($selection->isEmpty() && $missing !== []) {
            return $this->errors($input, $output)->fail(implode(' ', $missing));
        }

        $counts = [];

        foreach ($selection->buckets as $in) {
            $counts[$in->bucket] = $this->spool->bucketTools($in->bucket)
                ->letters()
                ->forget(BucketDeadLetters::positions($in->letters));
        }

        (new DeadLetterFormatter($output, self::isJson($input)))->forgotten($counts, $selection->missing);
        array_map($this->errors($input, $output)->error(...), $missing);

        return $missing === [] ? self::SUCCESS : self::FAILURE;
    }
}
