<?php

declare(strict_types=1);

namespace Headroom\Console;

use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * A command that uses this reports an error in one line, and as JSON if it was called with --json.
 *
 * @internal
 */
trait ReportsErrors
{
    public function run(InputInterface $input, OutputInterface $output): int
    {
        return $this->errors($input, $output)->guard(fn (): int => parent::run($input, $output));
    }

    final protected function errors(InputInterface $input, OutputInterface $output): CommandGuard
    {
        return new CommandGuard($output, $this->getNativeDefinition()->hasOption('json') ? $input : null);
    }
}
