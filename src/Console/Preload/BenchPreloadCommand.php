<?php

declare(strict_types=1);

namespace Headroom\Console\Preload;

use Closure;
use Headroom\Bench\Machine;
use Headroom\Bench\Preload\MeasurementPlan;
use Headroom\Bench\Preload\PreloadBenchmark;
use Headroom\Bench\Preload\PreloadFindings;
use Headroom\Bench\Preload\PreloadTable;
use Headroom\Bench\Preload\PreloadVariant;
use Headroom\Bench\Preload\UnableToMeasure;
use Headroom\Bench\Preload\VariantPool;
use Headroom\Console\BaseCommand;
use Headroom\Console\JsonOutput;
use Headroom\Console\TerminalStyles;
use Headroom\Core\Clock;
use Headroom\Host\WebStack;
use Headroom\Preload\Generation\Generator;
use Headroom\Preload\GeneratorInput;
use Headroom\Preload\Page;
use Headroom\Preload\PreloadConfig;
use Headroom\Preload\Selection\Project;
use Headroom\Preload\Strategy;
use Headroom\Preload\TargetApplication;
use Headroom\Process\Stoppable;
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
#[AsCommand(name: 'bench:preload', description: 'Measure what preloading saves for this application')]
final class BenchPreloadCommand extends BaseCommand
{
    private const STYLES = [
        '/^CPU of a worker |^ +files +MB /' => 'heading',
        '/: not measured\. /' => 'warning',
    ];

    private const MOST_PAGES = 4;

    /** @param ?MeasurementPlan $effort of a run without --long; null for the default */
    public function __construct(
        private readonly PreloadContext $context,
        private readonly Clock $clock,
        private readonly ?MeasurementPlan $effort = null,
    ) {
        parent::__construct();
    }

    public function configure(): void
    {
        PreloadOptions::addTo($this)
            ->addOption(
                'strategy',
                null,
                InputOption::VALUE_REQUIRED | InputOption::VALUE_IS_ARRAY,
                'Strategy to measure, or "all"; may be repeated; by default the configured one',
            )
            ->addOption(
                'long',
                null,
                InputOption::VALUE_NONE,
                'Run about five times as many rounds, to see smaller differences',
            )
            ->setHelp(<<<'HELP'
                The <info>%command.name%</info> command measures the application without preloading, with an
                authoritative class map, and with a proven list of each strategy. It starts a PHP-FPM for each variant,
                sends requests to them in turn, and installs nothing. The requests really run, on the configured
                database.

                    <info>php %command.full_name% --urls=pages.txt</info>
                    <info>php %command.full_name% --urls=pages.txt --strategy=all</info>
                    <info>php %command.full_name% --from-log=/var/log/nginx/access.log --long</info>

                A difference that is smaller than its spread is reported as "none seen".

                Exit codes:

                  0  measured
                  1  not measured; the error names the reason
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
        $config = $this->context->config()->with(null, $options->mode());
        $strategies = self::strategies($input, $config);
        $application = $options->application($config);
        $requests = $options->generatorInput($config);
        $project = Project::at($application->root);
        $base = new PreloadVariant($project->isAuthoritative ? 'without' : 'as it is', $application);
        $measured = $this->measured($base, $requests);
        [$variants, $used] = [[], []];

        try {
            if (! $project->isAuthoritative) {
                [$variants, $used] = self::authoritative($application, $project, $progress);
            }

            foreach ($strategies as $strategy) {
                $progress("{$strategy->value}: making a list");
                $file = substr($config->file, 0, -strlen(basename($config->file)))
                    .".preload-bench-{$strategy->value}.php";
                $used[] = $list = new BenchedList($project->absolute($file));
                (new Generator($application, $config->with($strategy, null, $file), $this->clock, $progress))->generate(
                    $requests,
                );
                $variants[] = $base->preloading($strategy->value, $list->path);
            }

            $findings = $this->compared(
                $base,
                $variants,
                $measured,
                $requests,
                $input->getOption('long') === true,
                $progress,
            );
        } finally {
            array_map(static fn (Stoppable $one) => $one->stop(), $used);
        }

        $this->print($findings, $input, $output);

        return self::SUCCESS;
    }

    /**
     * @param list<PreloadVariant> $variants
     * @param non-empty-list<Page> $measured
     * @param Closure(string): void $progress
     */
    private function compared(
        PreloadVariant $base,
        array $variants,
        array $measured,
        GeneratorInput $requests,
        bool $isLong,
        Closure $progress,
    ): PreloadFindings {
        $cores = Machine::describe('', $this->clock)['cores'] ?? 1;
        $cores = is_int($cores) ? max(1, $cores) : 1;
        // Requests per second are measured through nginx.
        $loaded = WebStack::isInstalled() ? [$measured[0]] : [];

        return (new PreloadBenchmark(
            $base,
            $variants,
            $measured,
            $loaded,
            array_values(array_filter($requests->pages(), static fn (Page $page): bool => $page->method === 'GET')),
            $cores,
            $progress,
            $this->clock,
        ))->run($isLong ? MeasurementPlan::full() : $this->effort ?? MeasurementPlan::quick());
    }

    /**
     * @return non-empty-list<Page> the first pages that succeed
     *
     * @throws UnableToMeasure
     */
    private function measured(PreloadVariant $base, GeneratorInput $requests): array
    {
        $pool = VariantPool::start($base, $this->clock);
        $pages = [];

        try {
            foreach ($requests->pages() as $page) {
                if ($page->method === 'GET' && count($pages) < self::MOST_PAGES && $pool->ask($page)->status < 400) {
                    $pages[] = $page;
                }
            }
        } finally {
            $pool->stop();
        }

        return $pages === [] ? throw UnableToMeasure::noPage() : $pages;
    }

    /**
     * @param Closure(string): void $progress
     * @return array{list<PreloadVariant>, list<Stoppable>}
     */
    private static function authoritative(TargetApplication $application, Project $project, Closure $progress): array
    {
        try {
            $copy = AuthoritativeClassmapCopy::of($application, $project->vendor);
        } catch (UnableToMeasure $e) {
            $progress("-o -a is not measured: {$e->getMessage()}");

            return [[], []];
        }

        return [[new PreloadVariant('-o -a', $copy->application)], [$copy]];
    }

    private function print(PreloadFindings $findings, InputInterface $input, OutputInterface $output): void
    {
        if (self::isJson($input)) {
            (new JsonOutput($output))->print(
                (new BenchReport(Machine::describe('', $this->clock), $findings->refused, $findings->all()))->toArray(),
            );

            return;
        }

        $refused = [];

        foreach ($findings->refused as $variant => $reason) {
            $refused[] = "{$variant}: not measured. {$reason}";
        }

        TerminalStyles::print(
            $output,
            array_map(TerminalText::line(...), ['', ...(new PreloadTable($findings))->lines(), ...$refused]),
            self::STYLES,
        );
    }

    /** @return list<Strategy> */
    private static function strategies(InputInterface $input, PreloadConfig $config): array
    {
        $names = array_values(array_filter((array) $input->getOption('strategy'), is_string(...)));

        return match (true) {
            $names === [] => [$config->strategy],
            in_array('all', $names, true) => Strategy::cases(),
            default => array_map(PreloadOptions::strategy(...), array_values(array_unique($names))),
        };
    }
}
