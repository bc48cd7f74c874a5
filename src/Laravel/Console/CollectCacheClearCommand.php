<?php

declare(strict_types=1);

namespace Headroom\Laravel\Console;

use Headroom\Console\BaseCommand;
use Headroom\Console\Collector\PublishedFiles;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * `optimize:clear` calls this command.
 *
 * @internal
 */
#[AsCommand(
    name: 'headroom:collect:cache:clear',
    description: 'Remove the compiled configuration of the front controller, which then answers 503',
    hidden: true,
)]
final class CollectCacheClearCommand extends BaseCommand
{
    public function __construct(private readonly PublishedFiles $files)
    {
        parent::__construct();
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $output->writeln(
            $this->files->clear()
                ? 'The compiled configuration is removed. The front controller answers 503 until'
                    .' `headroom:collect:publish`'
                    .' runs again.'
                : 'No compiled configuration exists.',
        );

        return self::SUCCESS;
    }
}
