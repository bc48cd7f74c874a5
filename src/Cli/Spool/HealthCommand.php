<?php

declare(strict_types=1);

namespace Headroom\Cli\Spool;

use Headroom\Core\Problem;
use Headroom\Spool\Runtime;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'spool:health', description: 'Check everything the buffer needs, and say how to mend what is wrong')]
final class HealthCommand extends Command
{
    public function __construct(private readonly Runtime $spool)
    {
        parent::__construct();
    }

    public function configure(): void
    {
        $this->addOption('json', null, InputOption::VALUE_NONE, 'Print JSON')
            ->setHelp('Run it as the user that flushes and as the user that serves requests. Exit codes: 0 healthy, 1 something would keep events from being taken or delivered.');
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $problems = $this->spool->health()->examine();
        $isFatal = array_filter($problems, static fn (Problem $problem): bool => $problem->fatal) !== [];

        if ($input->getOption('json') === true) {
            $output->writeln(json_encode(['healthy' => ! $isFatal, 'problems' => $problems], JSON_THROW_ON_ERROR | JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE), OutputInterface::OUTPUT_RAW);
        } else {
            $this->print($problems, $output);
        }

        return $isFatal ? Command::FAILURE : Command::SUCCESS;
    }

    /** @param list<Problem> $problems */
    private function print(array $problems, OutputInterface $output): void
    {
        foreach ($problems as $problem) {
            $output->writeln(($problem->fatal ? '<error> FAIL </error> ' : '<comment> NOTE </comment> ').OutputFormatter::escape("{$problem->subject}: {$problem->message}"));
            $output->writeln('       '.OutputFormatter::escape($problem->mend));
        }

        if ($problems === []) {
            $config = $this->spool->config();
            $output->writeln(OutputFormatter::escape("Healthy: {$config->path} takes events, and ".count($config->buckets).' declared buckets can deliver them.'));
        }
    }
}
