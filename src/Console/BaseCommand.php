<?php

declare(strict_types=1);

namespace Headroom\Console;

use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * Prints a command's error as one line, or as JSON if the command was called with --json.
 *
 * @internal
 */
abstract class BaseCommand extends Command
{
    final public function run(InputInterface $input, OutputInterface $output): int
    {
        return $this->errors($input, $output)
            ->guard(fn (OutputInterface $output): int => $this->attempt($input, $output));
    }

    /** Reads the command line and executes the command, as run() of Symfony does. */
    protected function attempt(InputInterface $input, OutputInterface $output): int
    {
        return parent::run($input, $output);
    }

    final public function addJsonOption(string $description = 'Print JSON'): static
    {
        return $this->addOption('json', null, InputOption::VALUE_NONE, $description);
    }

    final protected static function isJson(InputInterface $input): bool
    {
        return $input->getOption('json') === true;
    }

    final protected function errors(InputInterface $input, OutputInterface $output): CommandGuard
    {
        return new CommandGuard($output, $this->getNativeDefinition()->hasOption('json') ? $input : null);
    }
}
