<?php

declare(strict_types=1);

namespace Headroom\Console\Collector;

use Closure;
use Headroom\Collector\Lane\Compilation;
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
#[AsCommand(name: 'lane', description: 'Publish a front controller that takes events without booting the application')]
final class LaneCommand extends BaseCommand
{
    /** @param Closure(): Compilation $compilation */
    public function __construct(private readonly LaneFiles $files, private readonly Closure $compilation)
    {
        parent::__construct();
    }

    public function configure(): void
    {
        $this->addArgument('path', InputArgument::OPTIONAL, 'Where the front controller goes', LaneFiles::FRONT)
            ->addOption(
                'check',
                null,
                InputOption::VALUE_NONE,
                'Write nothing: say whether what is there is of this version and this configuration',
            )
            ->setHelp("Writes two files: the front controller, which belongs into the repository, and what it needs of the configuration, which does not. Run it again after each change of the configuration and each update, in Laravel by `optimize`. Where opcache does not look at files again (opcache.validate_timestamps=0), reload PHP-FPM.\n\nExit codes: 0 published, or as it should be; 1 not, and why; 2 wrong usage.");
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        $path = $input->getArgument('path');
        $front = $this->files->front(is_string($path) ? $path : '');
        $compilation = ($this->compilation)();

        if ($input->getOption('check') === true) {
            $differences = $this->files->differences($front, $compilation);
            array_map(
                (new CommandGuard($output))->complain(...),
                $differences === [] ? [] : [...$differences, "Run: {$this->files->commandFor($front)}"],
            );

            return $differences === [] ? self::SUCCESS : self::FAILURE;
        }

        // First what it needs, so that it never serves without.
        $isNew = [
            $this->files->compiled => $this->files->compile($compilation),
            $front => $this->files->publish($front),
        ];

        foreach ($isNew as $file => $isWritten) {
            $output->writeln(OutputFormatter::escape($file.($isWritten ? ' is written.' : ' is up to date.')));
        }

        return self::SUCCESS;
    }
}
