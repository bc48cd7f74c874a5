<?php

declare(strict_types=1);

namespace Headroom\Cli\Spool;

use Headroom\Core\HeadroomException;
use Headroom\Spool\Runtime;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'spool:clean', description: 'Remove delivered segments that have been kept long enough')]
final class CleanCommand extends Command
{
    public function __construct(private readonly Runtime $spool)
    {
        parent::__construct();
    }

    public function configure(): void
    {
        $this->addOption('older-than', null, InputOption::VALUE_REQUIRED, 'Seconds since a segment was delivered; spool.completed_ttl unless given')
            ->setHelp('Pending events are never touched. The newest delivered segment of a bucket always stays. Exit codes: 0 done, 1 a bucket could not be cleaned, 2 wrong usage.');
    }

    public function run(InputInterface $input, OutputInterface $output): int
    {
        return (new Usage($output))->guard(fn (): int => parent::run($input, $output));
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $olderThan = (new Numbers($input))->natural('older-than') ?? $this->spool->config()->completedTtl();
        $buckets = $this->spool->isUntouched() ? [] : $this->spool->store()->buckets();
        $failed = false;

        if ($buckets === []) {
            $output->writeln('Nothing has been buffered yet.');
        }

        foreach ($buckets as $name) {
            try {
                if ($this->spool->store()->isPaused($name)) {
                    $output->writeln("{$name}: it is paused, so what was delivered is kept, too: a database that is being restored may ask for it");

                    continue;
                }

                $removed = $this->spool->cleaner($name)->clean($olderThan);
                $output->writeln($removed === null ? "{$name}: another process is flushing it" : "{$name}: {$removed} segments removed");
            } catch (HeadroomException $e) {
                (new Usage($output))->complain("{$name}: {$e->getMessage()}");
                $failed = true;
            }
        }

        return $failed ? Command::FAILURE : Command::SUCCESS;
    }
}
