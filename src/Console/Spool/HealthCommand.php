<?php

declare(strict_types=1);

namespace Headroom\Console\Spool;

use Headroom\Console\JsonOutput;
use Headroom\Console\Spool\Output\FindingList;
use Headroom\Core\Finding;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\Health\Health;
use Headroom\Spool\SpoolConfig;
use Headroom\Support\TerminalText;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'spool:health', description: 'Check everything that the buffer needs, and show how to fix problems')]
final class HealthCommand extends SpoolCommand
{
    public function configure(): void
    {
        $this->addJsonOption()
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command checks directories, permissions, sinks, tables and the schedule,
                and prints how to fix each problem. Run it as the user that flushes, and as the user that serves
                requests.

                    <info>php %command.full_name%</info>
                    <info>php %command.full_name% --json</info>

                Exit codes:

                  0  healthy
                  1  a problem keeps events from being accepted or delivered
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $problems = (new Health($this->spool))->findings();
        $isFatal = FindingList::isFatal($problems);

        if (self::isJson($input)) {
            (new JsonOutput($output))->print(['healthy' => ! $isFatal, 'problems' => $problems]);
        } else {
            $this->print($problems, $output);
        }

        return $isFatal ? self::FAILURE : self::SUCCESS;
    }

    /** @param list<Finding> $problems */
    private function print(array $problems, OutputInterface $output): void
    {
        (new FindingList($output))->print($problems);

        // Notes never mean data loss.
        if (! FindingList::isFatal($problems)) {
            $config = $this->spool->config();
            $output->writeln(OutputFormatter::escape(
                "Healthy: {$config->path} accepts events, and "
                    .TerminalText::count(count($config->names()), 'declared bucket').' can deliver them.',
            ));
            $output->writeln(OutputFormatter::escape($this->users($config)));
        }
    }

    /** The checks see only what the current user may see, so the output names that user. */
    private function users(SpoolConfig $config): string
    {
        $me = Permissions::userName(Permissions::currentUser());

        return ($config->directoryMode() & 070) === 070
            ? "Checked as {$me}; directories and files are shared with their group."
            : sprintf(
                'Checked as %s. With dir_mode 0%o only this user and root can write or flush: run the scheduler and '
                    .'workers as the user that serves requests.',
                $me,
                $config->directoryMode(),
            );
    }
}
