<?php

declare(strict_types=1);

namespace Headroom\Cli\Spool;

use Headroom\Spool\Runtime;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'spool:resume', description: 'Deliver a paused bucket again')]
final class ResumeCommand extends Command
{
    public function __construct(private readonly Runtime $spool)
    {
        parent::__construct();
    }

    public function configure(): void
    {
        $this->addArgument('bucket', InputArgument::OPTIONAL, 'Only this bucket; all that are paused unless given')
            ->addOption('json', null, InputOption::VALUE_NONE, 'Print JSON')
            ->setHelp('The next flush or the next round of a worker delivers what has waited. Exit codes: 0 nothing of it is paused any more, 1 the mark could not be removed, 2 wrong usage.');
    }

    public function run(InputInterface $input, OutputInterface $output): int
    {
        return (new Usage($output, $input))->guard(fn (): int => parent::run($input, $output));
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $stores = $this->spool->stores();
        $asked = $input->getArgument('bucket');
        $paused = $stores->paused();
        $buckets = is_string($asked) && ! in_array($asked, $paused, true) ? (new BucketNames($this->spool))->known($asked) : (is_string($asked) ? [$asked] : $paused);

        $resumed = array_map(static fn (string $name): array => ['bucket' => $name, 'resumed' => $stores->pauses($name)->resume($name)], $buckets);

        if ($input->getOption('json') === true) {
            (new Answer($output))->print(['ok' => true, 'buckets' => $resumed]);
        } elseif ($resumed === []) {
            $output->writeln('No bucket is paused.');
        } else {
            array_map(static fn (array $one) => $output->writeln($one['bucket'].($one['resumed'] ? ': resumed' : ': it was not paused')), $resumed);
        }

        return Command::SUCCESS;
    }
}
