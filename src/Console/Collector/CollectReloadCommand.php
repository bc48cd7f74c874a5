<?php

declare(strict_types=1);

namespace Headroom\Console\Collector;

use Headroom\Collector\Server\Collector;
use Headroom\Console\BaseCommand;
use Headroom\Console\CommandGuard;
use Headroom\Console\NumericOptions;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(
    name: 'collect:reload',
    description: 'Replace the processes of the collector one by one without refusing a request',
)]
final class CollectReloadCommand extends BaseCommand
{
    public function __construct(private readonly Collector $collector)
    {
        parent::__construct();
    }

    public function configure(): void
    {
        $this->addOption('wait', null, InputOption::VALUE_REQUIRED, 'Seconds to wait for the reload', '300')
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command replaces the workers and flushers one by one after a deploy.
                Each new process has the current code and configuration. A new worker takes over before the old one
                stops; a new flusher starts when the old one has ended. If a new worker does not start, the old one
                continues.

                    <info>php %command.full_name%</info>
                    <info>php %command.full_name% --wait=60</info>

                Only a restart changes listen, admin, workers and flushers, which the supervisor reads.

                Exit codes:

                  0  every process is replaced
                  1  no collector runs, the reload was given up, or it takes longer
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $how = $this->collector->control()->reload((float) ($this->seconds($input)));

        if ($how !== 'done') {
            return (new CommandGuard($output))->fail("The reload did not finish: {$how}.");
        }

        $output->writeln('Every process is replaced.');

        return self::SUCCESS;
    }

    private function seconds(InputInterface $input): int
    {
        return (new NumericOptions($input))->positive('wait') ?? 300;
    }
}
