<?php

declare(strict_types=1);

namespace Headroom\Preload\Generation;

use Closure;
use Headroom\Core\Clock;
use Headroom\Host\Fpm\UnableToQueryPool;
use Headroom\Preload\Fpm\OpcacheProbe;
use Headroom\Preload\Fpm\PrivateFpm;
use Headroom\Preload\Gain;
use Headroom\Preload\GeneratedList;
use Headroom\Preload\GeneratorInput;
use Headroom\Preload\Observation\ObservedPages;
use Headroom\Preload\Observation\PageRunner;
use Headroom\Preload\Page;
use Headroom\Preload\PreloadConfig;
use Headroom\Preload\Script\CandidateScript;
use Headroom\Preload\Script\Script;
use Headroom\Preload\Selection\ClassFinder;
use Headroom\Preload\Selection\IgnoreRules;
use Headroom\Preload\Selection\ListBuilder;
use Headroom\Preload\Selection\Project;
use Headroom\Preload\Selection\Selector;
use Headroom\Preload\Selection\SourceCache;
use Headroom\Preload\Selection\StrategyResolver;
use Headroom\Preload\Selection\UsageShares;
use Headroom\Preload\TargetApplication;
use Headroom\Preload\UnableToPreload;
use Headroom\Preload\Verification\Baseline;
use Headroom\Preload\Verification\Bisection;
use Headroom\Preload\Verification\StartupLog;
use Headroom\Preload\Verification\VerifiedList;
use Headroom\Preload\Verification\Verifier;
use Headroom\Process\UnableToFindProgram;
use Headroom\Process\UnableToStart;
use Headroom\Support\TerminalText;

/**
 * Generates a preload list from what requests use, proves that the application answers with it as without it, and
 * installs it only then.
 *
 * @internal
 */
final readonly class Generator
{
    /** @param Closure(string): void $progress receives a line for each step */
    public function __construct(
        private TargetApplication $application,
        private PreloadConfig $config,
        private Clock $clock,
        private Closure $progress,
    ) {}

    /**
     * @param bool $installs false to generate and prove the list only
     *
     * @throws UnableToPreload
     * @throws UnableToFindProgram without PHP-FPM
     * @throws UnableToStart if PHP-FPM does not start even without preloading
     */
    public function generate(GeneratorInput $requests, bool $installs = true): GeneratedList
    {
        $project = Project::at($this->application->root);
        $pages = $requests->pages();

        if ($pages === []) {
            throw UnableToPreload::noPages();
        }

        foreach ($this->config->paths as $path) {
            file_exists($project->absolute($path)) || throw UnableToPreload::noSuchPath($path, $project->root);
        }

        (new CandidateScript(null, $project->absolute($this->config->file), $this->clock))->check();

        ($this->progress)('starting PHP-FPM without preloading');
        $plain = PrivateFpm::start($this->application, null, [], $this->clock);

        try {
            $plainLog = StartupLog::parse($plain->newLines());
            $probe = new OpcacheProbe($plain);
            $probe->preloaded();
            ($this->progress)('recording the classes that '.TerminalText::count(count($pages), 'page').' use');
            $observed = (new PageRunner($this->application, $probe->setting('auto_prepend_file'), $this->clock))
                ->observe($pages);

            return $this->prove($plain, $plainLog, $project, $requests, $observed, $installs);
        } finally {
            $plain->stop();
        }
    }

    private function prove(
        PrivateFpm $plain,
        StartupLog $plainLog,
        Project $project,
        GeneratorInput $requests,
        ObservedPages $observed,
        bool $installs,
    ): GeneratedList {
        if ($observed->succeeded === []) {
            throw UnableToPreload::allFail($observed->broken());
        }

        $lists = $this->lists($project, UsageShares::of($requests, $observed, $this->config->share));
        ($this->progress)('recording the answers without preloading');
        [$baselines, $observed] = self::baselines($observed, $plain);

        self::provesEnough($baselines, $observed);

        $script = new Script(
            $project,
            $this->config->file,
            $this->config->mode,
            $this->config->strategy,
            (new OpcacheProbe($plain))->version(),
            $this->config->front,
        );
        $candidate = new CandidateScript($script, $project->absolute($this->config->file), $this->clock);

        try {
            $verified = (new Verifier(
                $project->root,
                $lists,
                new Bisection($this->application, $candidate, $this->clock),
                $baselines,
                $plainLog,
                $this->progress,
            ))->verify();
            $candidate->confirm($verified->selection);
            $isChanged = ! $candidate->isInstalled();

            if ($installs && $isChanged) {
                $candidate->install();
            }
        } finally {
            $candidate->stop();
        }

        return $this->result($project, $verified, $observed, $baselines, $plain, $installs, $isChanged);
    }

    /**
     * @param list<Baseline> $baselines
     *
     * @phpstan-assert non-empty-list<Baseline> $baselines
     *
     * @throws UnableToPreload
     */
    private static function provesEnough(array $baselines, ObservedPages $observed): void
    {
        $asked = count($baselines) + count($observed->failed);
        $broken = $observed->broken();

        if (count($broken) === $asked) {
            throw UnableToPreload::allFail($broken);
        }

        if (2 * count($broken) > $asked) {
            throw UnableToPreload::mostFail($broken, $asked);
        }

        if (array_filter($baselines, static fn (Baseline $page): bool => $page->first->status < 400) === []) {
            throw UnableToPreload::nothingFound($asked);
        }
    }

    /**
     * A page that answers 5xx without preloading is compared like any other: a list may turn the error into a crash.
     *
     * @return array{list<Baseline>, ObservedPages} without the pages that answered once and then no longer
     */
    private static function baselines(ObservedPages $observed, PrivateFpm $plain): array
    {
        $baselines = [];
        $failed = $observed->failed;

        foreach ([...$observed->succeeded, ...$observed->errors] as [$page]) {
            try {
                $baselines[] = Baseline::of($page, $plain);
            } catch (UnableToQueryPool $e) {
                $failed[$page->name()] = $e->getMessage();
            }
        }

        $answers = static fn (array $one): bool => $one[0] instanceof Page && ! isset($failed[$one[0]->name()]);

        return [$baselines, new ObservedPages(
            array_values(array_filter($observed->succeeded, $answers)),
            $failed,
            array_values(array_filter($observed->errors, $answers)),
        )];
    }

    /** @param array<string, float> $shares */
    private function lists(Project $project, array $shares): ListBuilder
    {
        $sources = new SourceCache($project);
        $requested = (new StrategyResolver($project, new ClassFinder($project, $sources), $shares))->requested(
            $this->config->strategy,
            $this->config,
        );
        $selector = new Selector($project, $sources, new IgnoreRules($this->config->ignore), $this->config->mode);
        $all = $selector->select($requested);
        ($this->progress)(sprintf(
            'measuring the size of %d files for %d requested classes',
            count($all->files),
            count($requested->classes),
        ));
        $measuring = PrivateFpm::start(
            $this->application,
            null,
            ['opcache.memory_consumption' => 1024, 'opcache.max_accelerated_files' => 100_000],
            $this->clock,
        );

        try {
            $sizes = (new OpcacheProbe($measuring))->sizes(array_combine(
                $all->files,
                array_map($project->absolute(...), $all->files),
            ));
        } finally {
            $measuring->stop();
        }

        return new ListBuilder($selector, $requested, $this->config->budgetBytes, $sizes);
    }

    /** @param list<Baseline> $baselines */
    private function result(
        Project $project,
        VerifiedList $verified,
        ObservedPages $observed,
        array $baselines,
        PrivateFpm $plain,
        bool $installs,
        bool $isChanged,
    ): GeneratedList {
        $selection = $verified->selection;

        return new GeneratedList(
            $this->config->strategy,
            $this->config->mode,
            $project->absolute($this->config->file),
            $selection->files,
            $verified->preloaded->classes,
            $verified->preloaded->bytes,
            $verified->startMillis,
            $plain->startMillis,
            $selection->dropped,
            $verified->warnings,
            array_column(
                array_map(static fn (Baseline $page): array => [$page->page->name(), $page->first->status], $baselines),
                1,
                0,
            ),
            $observed->failed,
            array_values(array_map(
                static fn (Baseline $page): string => $page->page->name(),
                array_filter($baselines, static fn (Baseline $page): bool => ! $page->isStable()),
            )),
            $this->gain($project, $observed, $selection->classNames(), $plain),
            $project->isAuthoritative,
            $project->hasDevPackages,
            $installs,
            $isChanged,
        );
    }

    /** @param list<string> $listed */
    private function gain(Project $project, ObservedPages $observed, array $listed, PrivateFpm $plain): Gain
    {
        $autoload = $project->absolute("{$project->vendor}/autoload.php");

        return (new GainEstimator($plain, $autoload))->estimate($observed, $listed);
    }
}
