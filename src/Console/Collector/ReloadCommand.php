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
#[AsCommand(
    name: 'collect:reload',
    description: 'Replace the processes of the collector one after the other, refusing nobody',
)]
final class ReloadCommand extends BaseCommand
{
    public function __construct(private readonly Collector $collector)
    {
        parent::__construct();
    }

    public function configure(): void
    {
        $this->addOption('wait', null, InputOption::VALUE_REQUIRED, 'Seconds to wait for it', '300')
            ->setHelp('For a deploy: each new process has the code and the configuration that are there now, and takes over before its predecessor leaves. When one does not start, the old ones go on. What only the process above reads needs a restart: listen, admin, workers, flushers. Exit codes: 0 done, 1 no collector runs, it was given up, or it takes longer, 2 wrong usage.');
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $how = $this->collector->remote()->reload((float) ($this->seconds($input)));

        if ($how !== 'done') {
            return (new CommandGuard($output))->fail("The reload is not done: {$how}.");
        }

        $output->writeln('Every process is a new one.');

        return self::SUCCESS;
    }

    private function seconds(InputInterface $input): int
    {
        return (new NumericOptions($input))->positive('wait') ?? 300;
    }
}
