<?php

declare(strict_types=1);

namespace Headroom\Console\Preload;

use Headroom\Console\BaseCommand;
use Headroom\Console\JsonOutput;
use Headroom\Core\Clock;
use Headroom\Preload\Generator;
use Headroom\Preload\Strategy;
use Headroom\Support\TerminalText;
use Symfony\Component\Console\Attribute\AsCommand;
use Symfony\Component\Console\Formatter\OutputFormatter;
use Symfony\Component\Console\Input\InputInterface;
use Symfony\Component\Console\Input\InputOption;
use Symfony\Component\Console\Output\ConsoleOutputInterface;
use Symfony\Component\Console\Output\OutputInterface;

/**
 * @internal
 */
#[AsCommand(
    name: 'preload',
    description: 'Make a preload script for opcache, prove that no page changes, and put it in its place',
)]
final class GenerateCommand extends BaseCommand
{
    public function __construct(
        private readonly Application $application,
        private readonly SharedPools $neighbours,
        private readonly Clock $clock,
    ) {
        parent::__construct();
    }

    public function configure(): void
    {
        PreloadOptions::addTo($this)
            ->addOption(
                'strategy',
                null,
                InputOption::VALUE_REQUIRED,
                'Instead of the configured one: '.implode(', ', array_column(Strategy::cases(), 'value')),
            )
            ->addOption('dry-run', null, InputOption::VALUE_NONE, 'Make and prove the list, and install nothing')
            ->setHelp("Which classes requests use is known from samples of users' requests (HEADROOM_PRELOAD_SAMPLE=100), or from requests that are named. Two PHP-FPMs of its own then serve the application, one without and one with the list, and each page is asked of both three times: status, headers and body have to be the same, but for what differs without preloading too. A class that changes a page is looked for, left out, and named. Requests run for real, on the database that is configured.\n\nExit codes: 0 proven and installed, or the same was; 1 not, and why; 2 wrong usage.");
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        Signals::endTidily();
        $errors = $output instanceof ConsoleOutputInterface ? $output->getErrorOutput() : $output;
        $tell = static fn (string $line) => $errors->writeln('  '.OutputFormatter::escape(TerminalText::line($line)));
        $given = new PreloadOptions($input, $this->application, $tell);
        $strategy = $given->text('strategy');
        $config = $this->application->config()
            ->with($strategy === null ? null : PreloadOptions::strategy($strategy), $given->mode());
        $site = $given->site($config);
        $evidence = $given->evidence($config);
        $this->neighbours->refuse($this->application->root);
        $started = $this->clock->monotonicNanos();
        $generated = (new Generator($site, $config, $this->clock, $tell))->generate(
            $evidence,
            $input->getOption('dry-run') !== true,
        );
        $report = new GeneratedReport(
            $generated,
            $this->application->pathOfDeploys($config->file),
            $site->account->user ?? self::self(),
            ($this->clock->monotonicNanos() - $started) / 1e9,
        );

        if (self::isJson($input)) {
            (new JsonOutput($output))->print($report->toArray());
        } else {
            $output->writeln(array_map(OutputFormatter::escape(...), $report->lines($output->isVerbose())));
        }

        return self::SUCCESS;
    }

    /** Who runs this, and owns what the workers write. */
    private static function self(): string
    {
        $entry = posix_getpwuid(posix_geteuid());

        return $entry === false ? (string) posix_geteuid() : $entry['name'];
    }
}
