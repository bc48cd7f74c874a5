<?php

declare(strict_types=1);

namespace Headroom\Console;

use Symfony\Component\Console\Command\Command;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;

/**
 * @internal
 */
abstract class BaseCommand extends Command
{
    use ReportsErrors;

    final public function addJsonOption(string $description = 'Print JSON'): static
    {
        return $this->addOption('json', null, InputOption::VALUE_NONE, $description);
    }

    final protected static function isJson(InputInterface $input): bool
    {
        return $input->getOption('json') === true;
    }
}
