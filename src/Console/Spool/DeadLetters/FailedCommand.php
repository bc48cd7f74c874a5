<?php

declare(strict_types=1);

namespace Headroom\Console\Spool\DeadLetters;

use Headroom\Console\NumericOptions;
use Headroom\Console\Spool\SpoolCommand;
use Headroom\Core\HeadroomException;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'spool:failed', description: 'List the dead letters: events that their sink refused')]
final class FailedCommand extends SpoolCommand
{
    public function configure(): void
    {
        $this->addArgument('bucket', InputArgument::OPTIONAL, 'Only this bucket; it need not be declared')
            ->addOption('limit', null, InputOption::VALUE_REQUIRED, 'List at most this many, the newest', '20')
            ->addJsonOption()
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command lists the newest dead letters with their ids and the error of
                the sink. It changes nothing.

                    <info>php %command.full_name%</info>
                    <info>php %command.full_name% api-events --limit=100</info>

                Exit codes:

                  0  they are listed, or there are none
                  1  a dead letter or a bucket cannot be read
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $asked = $input->getArgument('bucket');
        $asked = is_string($asked) ? $asked : null;
        $limit = (new NumericOptions($input))->positive('limit') ?? 20;
        $finder = new DeadLetterFinder($this->spool);
        $errors = $this->errors($input, $output);
        $buckets = [];
        $problems = [];

        foreach ($finder->buckets($asked) as $name) {
            try {
                $buckets[] = $bucket = $finder->ofBucket($name);
                $problems = [...$problems, ...DeadLetterSelection::errorsOf($bucket)];
            } catch (HeadroomException $e) {
                // A bucket whose Redis is down must not hide the others.
                $problems[] = "{$name}: {$e->getMessage()}";
            }
        }

        (new DeadLetterFormatter($output, self::isJson($input)))->list($buckets, $limit, $asked);
        array_map($errors->error(...), $problems);

        return $problems === [] ? self::SUCCESS : self::FAILURE;
    }
}
