<?php

declare(strict_types=1);

namespace Headroom\Console\Collector;

use Closure;
use Headroom\Collector\Sapi\CompiledIngest;
use Headroom\Console\BaseCommand;
use Headroom\Console\CommandGuard;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Input\InputArgument;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(
    name: 'collect:publish',
    description: 'Publish a front controller that accepts events without booting the application',
)]
final class CollectPublishCommand extends BaseCommand
{
    /** @param Closure(): CompiledIngest $compilation */
    public function __construct(private readonly PublishedFiles $files, private readonly Closure $compilation)
    {
        parent::__construct();
    }

    public function configure(): void
    {
        $this->addArgument('path', InputArgument::OPTIONAL, 'Path of the front controller', PublishedFiles::FRONT)
            ->addOption(
                'check',
                null,
                InputOption::VALUE_NONE,
                'Write nothing; check whether the files fit this version and this configuration',
            )
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command writes two files: the front controller, which you commit, and
                the compiled configuration, which you do not.

                    <info>php %command.full_name%</info>
                    <info>php %command.full_name% public/events.php</info>
                    <info>php %command.full_name% --check</info>

                Run it again after each change of the configuration and after each update; in Laravel,
                <info>optimize</info> does. With opcache.validate_timestamps=0, reload PHP-FPM afterwards.

                Exit codes:

                  0  the files are written, or up to date
                  1  they cannot be written, or with --check are not up to date
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $path = $input->getArgument('path');
        $front = $this->files->front(is_string($path) ? $path : '');
        $compilation = ($this->compilation)();

        if ($input->getOption('check') === true) {
            $differences = $this->files->differences($front, $compilation);
            array_map(
                (new CommandGuard($output))->error(...),
                $differences === [] ? [] : [...$differences, "Run: {$this->files->commandFor($front)}"],
            );

            return $differences === [] ? self::SUCCESS : self::FAILURE;
        }

        // The compiled file comes first, so that the front controller never runs without it.
        $isNew = [
            $this->files->compiled => $this->files->compile($compilation),
            $front => $this->files->publish($front),
        ];

        foreach ($isNew as $file => $isWritten) {
            $output->writeln(OutputFormatter::escape($file.($isWritten ? ' was written.' : ' is up to date.')));
        }

        return self::SUCCESS;
    }
}
