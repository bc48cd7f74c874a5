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
#[AsCommand(name: 'collect:stop', description: 'Stop the collector after it has answered the open requests')]
final class CollectStopCommand extends BaseCommand
{
    public function __construct(private readonly Collector $collector)
    {
        parent::__construct();
    }

    public function configure(): void
    {
        $this->addOption('wait', null, InputOption::VALUE_REQUIRED, 'Seconds to wait for the end', '120')
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command stops the collector as SIGTERM does, and waits for its end.

                    <info>php %command.full_name%</info>
                    <info>php %command.full_name% --wait=30</info>

                Exit codes:

                  0  the collector has stopped
                  1  no collector runs, or it takes longer
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $seconds = (new NumericOptions($input))->positive('wait') ?? 120;

        if (! $this->collector->control()->stop((float) $seconds)) {
            return (new CommandGuard($output))->fail(
                "The collector did not stop within {$seconds} s. It is still stopping; `headroom:collect:status` shows"
                    .' it.',
            );
        }

        $output->writeln('The collector has stopped.');

        return self::SUCCESS;
    }
}
