<?php

declare(strict_types=1);

namespace Headroom\Console\Spool;

use Headroom\Console\CommandGuard;
use Headroom\Console\JsonOutput;
use Headroom\Spool\FileStore\Maintenance\RetirementOutcome;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'spool:retire', description: 'Remove an empty bucket that is no longer declared')]
final class RetireCommand extends SpoolCommand
{
    public function configure(): void
    {
        $this->addArgument('bucket', InputArgument::REQUIRED, 'A bucket that was removed from config/spool.php')
            ->addJsonOption()
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command removes the delivered segments of a bucket on this machine and
                in Redis, and the bucket no longer appears in spool:status. Its cursor and counters stay, so that you
                can declare the name again.

                    <info>php %command.full_name% page-views</info>

                Exit codes:
                  0  the bucket is retired
                  1  it is declared, another process uses it, or events, dead letters or damaged bytes wait in it
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $asked = $input->getArgument('bucket');

        foreach ((new BucketArgument($this->spool))->known($asked) as $name) {
            $isDeclared = in_array($name, $this->spool->config()->names(), true);
            $outcome = $isDeclared ? null : $this->spool->stores()->retire($name);
            $isDone = $outcome === RetirementOutcome::Retired;

            if (self::isJson($input)) {
                (new JsonOutput($output))->print([
                    'ok' => $isDone,
                    'bucket' => $name,
                    'outcome' => $outcome->value ?? 'declared',
                ]);
            } elseif ($isDone) {
                $output->writeln("{$name}: retired");
            } else {
                (new CommandGuard($output))->error("{$name}: ".self::obstacle($name, $outcome));
            }

            return $isDone ? self::SUCCESS : self::FAILURE;
        }

        return self::INVALID;
    }

    private static function obstacle(string $bucket, ?RetirementOutcome $outcome): string
    {
        return match ($outcome) {
            RetirementOutcome::Busy =>
                'another process flushes it or writes to it. Run this command again when that process has ended.',
            RetirementOutcome::EventsWait => 'it has pending events. Declare it in config/spool.php and deliver them '
                ."with `spool:flush {$bucket}` first.",
            RetirementOutcome::DeadLettersWait => "it has dead letters, which `spool:failed {$bucket}` shows. Retry or "
                .'forget them first.',
            RetirementOutcome::Quarantined => 'its directory `quarantine` holds the only copy of damaged bytes. Move '
                .'them away first.',
            default => 'it is declared in config/spool.php. Remove it there first.',
        };
    }
}
