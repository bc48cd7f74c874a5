<?php

declare(strict_types=1);

namespace Headroom\Laravel\Console;

use Closure;
use Headroom\Collector\Sapi\CompiledIngest;
use Headroom\Console\BaseCommand;
use Headroom\Console\Collector\PublishedFiles;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * `optimize` calls this command.
 *
 * @internal
 */
#[AsCommand(
    name: 'headroom:collect:cache',
    description: 'Compile the configuration of the front controller, if one is published',
    hidden: true,
)]
final class CollectCacheCommand extends BaseCommand
{
    /** @param Closure(): CompiledIngest $compilation */
    public function __construct(private readonly PublishedFiles $files, private readonly Closure $compilation)
    {
        parent::__construct();
    }

    /**
     * Succeeds if no front controller is published: what the front controller does not support must not stop the
     * `optimize` of an application without one.
     */
    public function execute(InputInterface $input, OutputInterface $output): int
    {
        if (! $this->files->isUsed()) {
            $output->writeln('There is no front controller in public/. `headroom:collect:publish` publishes one.');

            return self::SUCCESS;
        }

        $this->files->compile(($this->compilation)());
        array_map($this->files->publish(...), $this->files->published());
        $output->writeln('The configuration of the front controller is compiled.');

        return self::SUCCESS;
    }
}
