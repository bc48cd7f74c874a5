<?php

declare(strict_types=1);

namespace Headroom\Console\Preload;

use Closure;
use Headroom\Console\BaseCommand;
use Headroom\Console\JsonOutput;
use Headroom\Console\TerminalStyles;
use Headroom\Core\Clock;
use Headroom\Doctor\Facts;
use Headroom\Preload\Generation\Generator;
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
    description: 'Generate a preload script for opcache, prove that no page changes, and install it',
)]
final class PreloadCommand extends BaseCommand
{
    /** @param Closure(array<class-string, Closure(Facts): object>): Facts $facts */
    public function __construct(
        private readonly PreloadContext $context,
        private readonly Closure $facts,
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
                'Strategy: '.implode(', ', array_column(Strategy::cases(), 'value')).'; by default the configured one',
            )
            ->addOption('dry-run', null, InputOption::VALUE_NONE, 'Generate and prove the list, but do not install it')
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command generates a preload list of the classes that requests use. It
                learns them from samples of real requests (HEADROOM_PRELOAD_SAMPLE=100), or from the requests that you
                name.

                    <info>php %command.full_name%</info>
                    <info>php %command.full_name% --from-log=/var/log/nginx/access.log --dry-run</info>
                    <info>php %command.full_name% --urls=pages.txt --strategy=hot</info>

                To prove the list, it starts two PHP-FPMs, one with and one without the list, and requests each page
                three times from both. Status, headers and body must be equal, except where they differ without
                preloading, too. A class that changes a page is left out and named. The requests really run, on the
                configured database.

                Exit codes:

                  0  the list is proven and installed, or was installed already
                  1  not installed; the error names the reason
                  2  wrong usage
                HELP);
    }

    public function execute(InputInterface $input, OutputInterface $output): int
    {
        ExitOnSignal::install();
        $errors = $output instanceof ConsoleOutputInterface ? $output->getErrorOutput() : $output;
        $progress = static fn (string $line)
            => $errors->writeln('  '.OutputFormatter::escape(TerminalText::line($line)));
        $options = new PreloadOptions($input, $this->context, $progress);
        $strategy = $options->text('strategy');
        $config = $this->context->config()
            ->with($strategy === null ? null : PreloadOptions::strategy($strategy), $options->mode());
        $application = $options->application($config);
        $requests = $options->generatorInput($config);
        (new ServingPools(($this->facts)([]), $this->context->root))->refuseSharedMaster();
        $started = $this->clock->monotonicNanos();
        $generated = (new Generator($application, $config, $this->clock, $progress))->generate(
            $requests,
            $input->getOption('dry-run') !== true,
        );
        $report = new GeneratedReport(
            $generated,
            $this->context->stablePath($config->file),
            $application->account->user ?? self::self(),
            ($this->clock->monotonicNanos() - $started) / 1e9,
        );

        if (self::isJson($input)) {
            (new JsonOutput($output))->print($report->toArray());
        } else {
            TerminalStyles::print(
                $output,
                array_map(TerminalText::line(...), $report->lines($output->isVerbose())),
                GeneratedReport::STYLES,
            );
        }

        return self::SUCCESS;
    }

    /** The user that runs this command, and then also its workers. */
    private static function self(): string
    {
        $entry = posix_getpwuid(posix_geteuid());

        return $entry === false ? (string) posix_geteuid() : $entry['name'];
    }
}
