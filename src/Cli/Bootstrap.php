<?php

declare(strict_types=1);

namespace Headroom\Cli;

use Headroom\Core\SystemClock;
use Headroom\Load\Generator;
use Headroom\Load\ProcessCpuTime;
use Symfony\Component\Console\Application;
use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Exception\ExceptionInterface;
use Symfony\Component\Console\Input\ArgvInput;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\ConsoleOutput;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;
use Throwable;

/**
 * Everything that runs without a Laravel application is put together here.
 *
 * @internal
 */
final readonly class Bootstrap
{
    public function application(): Application
    {
        $application = new Application('Headroom');
        $application->setAutoExit(false);
        $application->add(new LoadCommand(new Generator(new SystemClock, new ProcessCpuTime)));

        return $application;
    }

    /** @return int the exit code: 2 for wrong usage, whatever the command */
    public function run(InputInterface $input = new ArgvInput, OutputInterface $output = new ConsoleOutput): int
    {
        $application = $this->application();
        $application->setCatchExceptions(false);

        try {
            return $application->run($input, $output);
        } catch (Throwable $e) {
            $application->renderThrowable($e, $output instanceof ConsoleOutputInterface ? $output->getErrorOutput() : $output);

            return $e instanceof ExceptionInterface ? Command::INVALID : Command::FAILURE;
        }
    }
}
