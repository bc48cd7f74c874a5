<?php

declare(strict_types=1);

namespace Headroom\Laravel\Console;

use Headroom\Console\BaseCommand;
use Headroom\Console\Collector\LaneFiles;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * What `optimize:clear` calls.
 *
 * @internal
 */
#[AsCommand(
    name: 'headroom:lane:clear',
    description: 'Remove what was compiled for the fast lane, which answers 503 until it is compiled again',
    hidden: true,
)]
final class LaneClearCommand extends BaseCommand
{
    public function __construct(private readonly LaneFiles $files)
    {
        parent::__construct();
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $output->writeln(
            $this->files->clear()
                ? 'The fast lane is no longer compiled, and answers 503.'
                : 'The fast lane was not compiled.',
        );

        return self::SUCCESS;
    }
}
