<?php

declare(strict_types=1);

namespace Headroom\Console\Logs;

use Headroom\Console\BaseCommand;
use Headroom\Doctor\Logs\SlowLog\SlowLogSummary;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(name: 'logs:slow', description: "Show from PHP-FPM's slow log what requests wait for")]
final class LogsSlowCommand extends BaseCommand
{
    public function configure(): void
    {
        $files = 'Slow logs of PHP-FPM, also rotated and gzipped, or as docker, kubectl and journalctl print them; '
            .'- is standard input';

        $this->addArgument('file', InputArgument::REQUIRED | InputArgument::IS_ARRAY, $files)
            ->addJsonOption()
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command counts the traces of slow logs by the call in which each request
                waited, and prints what to do next.

                    <info>php %command.full_name% /var/log/php-fpm.slow.log</info>
                    <info>php %command.full_name% /var/log/php-fpm.slow.log* --json</info>
                    <info>docker logs web 2>&1 | php %command.full_name% -</info>


                HELP.LogReadResult::EXIT_CODES);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $summary = new SlowLogSummary;
        $result = LogFiles::of('logs:slow', $input, $output)->read($summary);

        return $result->print(new SlowlogReport($summary, $result), $output, self::isJson($input));
    }
}
