<?php

declare(strict_types=1);

namespace Headroom\Console\Collector;

use Headroom\Collector\Collector;
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
#[AsCommand(name: 'collect:stop', description: 'Stop the collector once it has finished what has begun')]
final class StopCommand extends BaseCommand
{
    public function __construct(private readonly Collector $collector)
    {
        parent::__construct();
    }

    public function configure(): void
    {
        $this->addOption('wait', null, InputOption::VALUE_REQUIRED, 'Seconds to wait for it', '120')
            ->setHelp('Exit codes: 0 it has stopped, 1 no collector runs or it takes longer, 2 wrong usage.');
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $seconds = (new NumericOptions($input))->positive('wait') ?? 120;

        if (! $this->collector->remote()->stop((float) $seconds)) {
            return (new CommandGuard($output))->fail(
                "The collector has not stopped within {$seconds} s; it was told to, and goes on with that.",
            );
        }

        $output->writeln('The collector has stopped.');

        return self::SUCCESS;
    }
}
