<?php

declare(strict_types=1);

namespace Headroom\Console\Logs;

use Headroom\Console\CommandGuard;
use Headroom\Console\JsonOutput;
use Headroom\Doctor\Logs\Slow\SlowLogSummary;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'slowlog', description: "Tell from PHP-FPM's slow log what requests wait for")]
final class SlowlogCommand extends Command
{
    public function configure(): void
    {
        $files = 'Slow logs, rotated and gzipped ones as well, '
            .'and what docker, kubectl or journalctl print of them; - is standard input';

        $this->addArgument('file', InputArgument::REQUIRED | InputArgument::IS_ARRAY, $files)
            ->addOption('json', null, InputOption::VALUE_NONE, 'Print JSON')
            ->setHelp(LogReader::EXIT_CODES);
    }

    public function run(InputInterface $input, OutputInterface $output): int
    {
        return (new CommandGuard($output, $input))->guard(fn (): int => parent::run($input, $output));
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $summary = new SlowLogSummary;
        $reading = LogFiles::of('slowlog', $input, $output)->read($summary);
        $report = new SlowlogReport($summary, $reading);

        if ($input->getOption('json') === true) {
            (new JsonOutput($output))->print($report->document());
        } else {
            $output->writeln($report->lines(), OutputInterface::OUTPUT_RAW);
        }

        foreach ($reading->complaints() as $complaint) {
            (new CommandGuard($output))->complain($complaint);
        }

        return $reading->exit();
    }
}
