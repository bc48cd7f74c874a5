<?php

declare(strict_types=1);

namespace Headroom\Cli\Logs;

use Headroom\Cli\Spool\Answer;
use Headroom\Cli\Spool\Usage;
use Headroom\Doctor\Logs\Slow\SlowLog;
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
        $this->addArgument('file', InputArgument::REQUIRED | InputArgument::IS_ARRAY, 'Slow logs, rotated and gzipped ones as well; - is standard input')
            ->addOption('json', null, InputOption::VALUE_NONE, 'Print JSON')
            ->setHelp('Exit codes: 0 all files were read, 1 one could not be read (what could be is reported), 2 wrong usage.');
    }

    public function run(InputInterface $input, OutputInterface $output): int
    {
        return (new Usage($output, $input))->guard(fn (): int => parent::run($input, $output));
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $summary = new SlowLogSummary;
        $log = new SlowLog($summary);
        $reading = LogFiles::of($input, $output)->read($log->read(...), $log->end(...));
        $report = new SlowlogReport($summary, $reading);

        if ($input->getOption('json') === true) {
            (new Answer($output))->print($report->document());
        } else {
            $output->writeln($report->lines(), OutputInterface::OUTPUT_RAW);
        }

        foreach ($reading->failures as $failure) {
            (new Usage($output))->complain($failure->getMessage());
        }

        return $reading->failures === [] ? self::SUCCESS : self::FAILURE;
    }
}
