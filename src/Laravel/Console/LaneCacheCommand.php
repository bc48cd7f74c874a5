<?php

declare(strict_types=1);

namespace Headroom\Laravel\Console;

use Closure;
use Headroom\Collector\Lane\Compilation;
use Headroom\Console\BaseCommand;
use Headroom\Console\Collector\LaneFiles;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * What `optimize` calls.
 *
 * @internal
 */
#[AsCommand(
    name: 'headroom:lane:cache',
    description: 'Compile the configuration for the fast lane, where it is published',
    hidden: true,
)]
final class LaneCacheCommand extends BaseCommand
{
    /** @param Closure(): Compilation $compilation */
    public function __construct(private readonly LaneFiles $files, private readonly Closure $compilation)
    {
        parent::__construct();
    }

    /** An application that does not use it must not be stopped by what the lane can not do. */
    public function execute(InputInterface $input, OutputInterface $output): int
    {
        if (! $this->files->isUsed()) {
            $output->writeln('There is no fast lane in public/. `headroom:lane` publishes one.');

            return self::SUCCESS;
        }

        $this->files->compile(($this->compilation)());
        array_map($this->files->publish(...), $this->files->published());
        $output->writeln('The fast lane is compiled.');

        return self::SUCCESS;
    }
}
