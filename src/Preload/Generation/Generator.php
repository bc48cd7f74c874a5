<?php

declare(strict_types=1);

namespace Headroom\Preload\Generation;

use Closure;
use Headroom\Core\Clock;
use Headroom\Host\Fpm\UnableToAsk;
use Headroom\Preload\Evidence;
use Headroom\Preload\Fpm\FpmProbe;
use Headroom\Preload\Fpm\PrivateFpm;
use Headroom\Preload\Gain;
use Headroom\Preload\Generated;
use Headroom\Preload\Observation\ObservedPages;
use Headroom\Preload\Observation\PageRunner;
use Headroom\Preload\Page;
use Headroom\Preload\PreloadConfig;
use Headroom\Preload\Script\Candidate;
use Headroom\Preload\Script\Script;
use Headroom\Preload\Selection\ClassFinder;
use Headroom\Preload\Selection\IgnoreRules;
use Headroom\Preload\Selection\ListBuilder;
use Headroom\Preload\Selection\Project;
use Headroom\Preload\Selection\Selection;
use Headroom\Preload\Selection\Selector;
use Headroom\Preload\Selection\SourceCache;
use Headroom\Preload\Selection\Strategist;
use Headroom\Preload\Selection\UsageShares;
use Headroom\Preload\TargetApplication;
use Headroom\Preload\UnableToPreload;
use Headroom\Preload\Verification\Baseline;
use Headroom\Preload\Verification\Bisection;
use Headroom\Preload\Verification\StartupLog;
use Headroom\Preload\Verification\Verified;
use Headroom\Preload\Verification\Verifier;
use Headroom\Process\UnableToFindProgram;
use Headroom\Process\UnableToStart;
use Headroom\Support\TerminalText;

/**
 * Makes a list of what requests use, proves that the application answers with it as without,
 * and puts it in its place only then.
 *
 * @internal
 */
final readonly class Generator
{
    private const PAGES_TO_TIME = 20;

    private const TIMES = 5;

    /** @param Closure(string): void $tell of what is done, a line at a time */
    public function __construct(
        private TargetApplication $site,
        private PreloadConfig $config,
        private Clock $clock,
        private Closure $tell,
    ) {}

    /**
     * @param bool $installs false to make and prove it only
     *
     * @throws UnableToPreload
     * @throws UnableToFindProgram without PHP-FPM
     * @throws UnableToStart when PHP-FPM does not start even without preloading
     */
    public function generate(Evidence $evidence, bool $installs = true): Generated
    {
        $project = Project::at($this->site->root);
        $pages = $evidence->pages();

        if ($pages === []) {
            throw UnableToPreload::noPages();
        }

        foreach ($this->config->paths as $path) {
            file_exists($project->absolute($path)) || throw UnableToPreload::noSuchPath($path, $project->root);
        }

        (new Candidate(null, $project->absolute($this->config->file), $this->clock))->check();

        ($this->tell)('starting PHP-FPM without preloading');
        $plain = PrivateFpm::start($this->site, null, [], $this->clock);

        try {
            $usual = StartupLog::in($plain->newLines());
            $readings = new FpmProbe($plain);
            $readings->preloaded();
            ($this->tell)('seeing which classes '.TerminalText::count(count($pages), 'page').' use');
            $driven = (new PageRunner($this->site, $readings->setting('auto_prepend_file'), $this->clock))->observe($pages);

            return $this->proven($plain, $usual, $project, $evidence, $driven, $installs);
        } finally {
            $plain->stop();
        }
    }

    private function proven(
        PrivateFpm $plain,
        StartupLog $usual,
        Project $project,
        Evidence $evidence,
        ObservedPages $driven,
        bool $installs,
    ): Generated {
        if ($driven->seen === []) {
            throw UnableToPreload::allFail($driven->broken());
        }

        $lists = $this->lists($project, UsageShares::of($evidence, $driven, $this->config->share));
        ($this->tell)('seeing how they answer without preloading');
        [$expected, $driven] = self::expected($driven, $plain);

        self::provesEnough($expected, $driven);

        $script = new Script(
            $project,
            $this->config->file,
            $this->config->mode,
            $this->config->strategy,
            (new FpmProbe($plain))->version(),
            $this->config->front,
        );
        $candidate = new Candidate($script, $project->absolute($this->config->file), $this->clock);

        try {
            $verified = (new Verifier(
                $project->root,
                $lists,
                new Bisection($this->site, $candidate, $this->clock),
                $expected,
                $usual,
                $this->tell,
            ))->verify();
            $candidate->confirm($verified->selection);
            $isChanged = ! $candidate->isInstalled();

            if ($installs && $isChanged) {
                $candidate->install();
            }
        } finally {
            $candidate->stop();
        }

        return $this->report($project, $verified, $driven, $expected, $plain, $installs, $isChanged);
    }

    /**
     * @param list<Baseline> $expected
     *
     * @phpstan-assert non-empty-list<Baseline> $expected
     *
     * @throws UnableToPreload
     */
    private static function provesEnough(array $expected, ObservedPages $driven): void
    {
        $asked = count($expected) + count($driven->failed);
        $broken = $driven->broken();

        if (count($broken) === $asked) {
            throw UnableToPreload::allFail($broken);
        }

        if (2 * count($broken) > $asked) {
            throw UnableToPreload::mostFail($broken, $asked);
        }

        if (array_filter($expected, static fn (Baseline $page): bool => $page->first->status < 400) === []) {
            throw UnableToPreload::nothingFound($asked);
        }
    }

    /**
     * A page that answers 5xx by itself is compared like any other: a list may turn the error into a crash.
     *
     * @return array{list<Baseline>, ObservedPages} without the pages that gave an answer once and none again
     */
    private static function expected(ObservedPages $driven, PrivateFpm $plain): array
    {
        $expected = [];
        $failed = $driven->failed;

        foreach ([...$driven->seen, ...$driven->errors] as [$page]) {
            try {
                $expected[] = Baseline::of($page, $plain);
            } catch (UnableToAsk $e) {
                $failed[$page->name()] = $e->getMessage();
            }
        }

        $answers = static fn (array $one): bool => $one[0] instanceof Page && ! isset($failed[$one[0]->name()]);

        return [$expected, new ObservedPages(
            array_values(array_filter($driven->seen, $answers)),
            $failed,
            array_values(array_filter($driven->errors, $answers)),
        )];
    }

    /** @param array<string, float> $shares */
    private function lists(Project $project, array $shares): ListBuilder
    {
        $sources = new SourceCache($project);
        $wanted = (new Strategist($project, new ClassFinder($project, $sources), $shares))->wanted(
            $this->config->strategy,
            $this->config,
        );
        $selector = new Selector($project, $sources, new IgnoreRules($this->config->ignore), $this->config->mode);
        $all = $selector->select($wanted);
        ($this->tell)(sprintf(
            'weighing %d files of %d classes that are wanted',
            count($all->files),
            count($wanted->classes),
        ));
        $scale = PrivateFpm::start(
            $this->site,
            null,
            ['opcache.memory_consumption' => 1024, 'opcache.max_accelerated_files' => 100_000],
            $this->clock,
        );

        try {
            $sizes = (new FpmProbe($scale))->sizes(array_combine(
                $all->files,
                array_map($project->absolute(...), $all->files),
            ));
        } finally {
            $scale->stop();
        }

        return new ListBuilder($selector, $wanted, $this->config->budgetBytes, $sizes);
    }

    /** @param list<Baseline> $expected */
    private function report(
        Project $project,
        Verified $verified,
        ObservedPages $driven,
        array $expected,
        PrivateFpm $plain,
        bool $installs,
        bool $isChanged,
    ): Generated {
        $selection = $verified->selection;

        return new Generated(
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
                array_map(static fn (Baseline $page): array => [$page->page->name(), $page->first->status], $expected),
                1,
                0,
            ),
            $driven->failed,
            array_values(array_map(
                static fn (Baseline $page): string => $page->page->name(),
                array_filter($expected, static fn (Baseline $page): bool => ! $page->isStable()),
            )),
            $this->gain($project, $selection, $driven, $plain),
            $project->isAuthoritative,
            $project->hasDevPackages,
            $installs,
            $isChanged,
        );
    }

    private function gain(Project $project, Selection $selection, ObservedPages $driven, PrivateFpm $plain): Gain
    {
        $listed = array_fill_keys($selection->classNames(), true);
        $used = [];

        foreach ($driven->seen as [$page, $classes]) {
            $used[] = count(array_intersect_key(array_fill_keys($classes, true), $listed));
        }

        [$loading, $request] = $this->micros(
            $driven->pages(),
            array_keys($listed),
            $project->absolute("{$project->vendor}/autoload.php"),
            $plain,
        );

        return new Gain($loading / max(1, count($listed)), array_sum($used) / max(1, count($used)), $request);
    }

    /**
     * In turns with the application, which has the CPU's caches for itself as it has between two requests. Of pages
     * that may be asked once more for the figure's sake.
     *
     * @param list<Page> $pages
     * @param list<string> $classes
     * @return array{float, ?float} to load the classes; CPU of a request, null where the kernel does not tell; medians
     */
    private function micros(array $pages, array $classes, string $autoload, PrivateFpm $plain): array
    {
        $pages = array_slice(
            array_filter($pages, static fn (Page $page): bool => $page->method === 'GET'),
            0,
            self::PAGES_TO_TIME,
        );
        $loading = [];
        $requests = [];

        try {
            for ($i = 0; $i < self::TIMES; $i++) {
                $before = $plain->cpuNanos();
                array_map($plain->ask(...), $pages);
                $after = $plain->cpuNanos();
                $requests[] = $before === null || $after === null || $pages === []
                    ? null
                    : ($after - $before) / 1_000 / count($pages);
                $loading[] = (new FpmProbe($plain))->loadingMicros($autoload, $classes);
            }
        } catch (UnableToAsk) {
            // The list is proven and in its place: what is missing now is a figure.
        }

        return [self::median($loading) ?? 0.0, self::median($requests)];
    }

    /** @param list<?float> $figures */
    private static function median(array $figures): ?float
    {
        $known = array_filter($figures, is_float(...));
        sort($known);

        return $known[intdiv(count($known), 2)] ?? null;
    }
}
