<?php

declare(strict_types=1);

namespace Headroom\Console\Logs;

use Headroom\Console\BaseCommand;
use Headroom\Doctor\Logs\ErrorLog\ErrorLogSummary;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(
    name: 'logs:error',
    description: 'Summarize error logs of nginx and PHP-FPM, with the next step for each problem',
)]
final class LogsErrorCommand extends BaseCommand
{
    public function configure(): void
    {
        $files = 'Error logs of nginx or PHP-FPM, also rotated and gzipped, or as docker, kubectl and journalctl print '
            .'them; - is standard input';

        $this->addArgument('file', InputArgument::REQUIRED | InputArgument::IS_ARRAY, $files)
            ->addJsonOption()
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command counts the entries of error logs by kind, and prints what each
                kind means and what to do next.

                    <info>php %command.full_name% /var/log/nginx/error.log</info>
                    <info>php %command.full_name% /var/log/nginx/error.log* /var/log/php-fpm.log --json</info>
                    <info>docker logs web 2>&1 | php %command.full_name% -</info>


                HELP.LogReadResult::EXIT_CODES);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $summary = new ErrorLogSummary;
        $result = LogFiles::of('logs:error', $input, $output)->read($summary);

        return $result->print(new ErrorlogReport($summary, $result), $output, self::isJson($input));
    }
}
