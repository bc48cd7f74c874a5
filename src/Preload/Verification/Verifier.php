<?php

declare(strict_types=1);

namespace Headroom\Preload\Verification;

use Closure;
use Headroom\Preload\DroppedClass;
use Headroom\Preload\DropReason;
use Headroom\Preload\Fpm\OpcacheProbe;
use Headroom\Preload\Fpm\PrivateFpm;
use Headroom\Preload\Selection\ListBuilder;
use Headroom\Preload\Selection\Selection;
use Headroom\Preload\UnableToPreload;
use Headroom\Process\UnableToStart;

/**
 * Removes classes from a list until PHP starts with it without warnings and each page answers as without preloading.
 *
 * @internal
 */
final class Verifier
{
    private const MAX_ROUNDS = 60;

    /**
     * If more classes than this change one page, the page shows preloading itself, such as the memory in use.
     */
    private const MAX_EXCLUDED_PER_PAGE = 5;

    /**
     * PHP has too little memory for the list, so no class is at fault. The texts are in ZendAccelerator.c and
     * zend_alloc.c.
     */
    private const NO_ROOM = '/(?:Insufficient shared memory|Not enough (?:shared memory|entries in hash table|memory)'
        .'|Allowed memory size).*/';

    /** @var array<string, DroppedClass> by file */
    private array $excluded = [];

    /** @var array<string, int> number of classes that were excluded because of a page, by page */
    private array $excludedByPage = [];

    /** @var array<string, int> number of searches that found no class, by page */
    private array $unresolved = [];

    /**
     * @param string $root directory of the application, absolute, without symbolic links
     * @param non-empty-list<Baseline> $pages
     * @param Closure(string): void $progress receives a line for each step
     */
    public function __construct(
        private readonly string $root,
        private readonly ListBuilder $lists,
        private readonly Bisection $bisection,
        private array $pages,
        private readonly StartupLog $plainLog,
        private readonly Closure $progress,
    ) {}

    /** @throws UnableToPreload */
    public function verify(): VerifiedList
    {
        for ($round = 1; $round <= self::MAX_ROUNDS; $round++) {
            $selection = $this->lists->build($this->excluded);

            if ($selection->files === []) {
                throw UnableToPreload::nothingToPreload(count($selection->dropped));
            }

            ($this->progress)(sprintf(
                'round %d: %d files, %d pages',
                $round,
                count($selection->files),
                count($this->pages),
            ));
            $verified = $this->round($selection);

            if ($verified !== null) {
                return $verified;
            }
        }

        throw UnableToPreload::didNotSettle(self::MAX_ROUNDS);
    }

    private function round(Selection $selection): ?VerifiedList
    {
        try {
            $fpm = $this->bisection->start($selection);
        } catch (UnableToStart $e) {
            if (preg_match(self::NO_ROOM, $e->log, $m) === 1) {
                throw UnableToPreload::noRoom(count($selection->files), $m[0]);
            }

            $this->excludeCause($selection, null, DropReason::StopsPhp, self::firstLine($e));

            return null;
        }

        try {
            $warnings = StartupLog::parse($fpm->newLines());
            $preloaded = (new OpcacheProbe($fpm))->preloaded();

            if ($warnings->objections !== [] || $preloaded->scripts < count($selection->files)) {
                throw UnableToPreload::notPreloaded(
                    $preloaded->scripts,
                    count($selection->files),
                    $warnings->objections[0] ?? 'PHP logs no reason',
                );
            }

            $hadToShrink = $this->lists->shrinkToBudget($selection, $preloaded->bytes);
            $difference = ! $warnings->namesClasses() && ! $hadToShrink ? $this->firstDifference($fpm) : null;
        } finally {
            $fpm->stop();
        }

        if ($warnings->namesClasses()) {
            $this->excludeWarned($selection, $warnings);
        } elseif ($difference !== null) {
            [$page, $words] = $difference;
            ($this->progress)("{$page->page->name()}: {$words}; searching for the class");
            $this->excludeCause(
                $selection,
                $page,
                DropReason::ChangesPage,
                "with it, {$page->page->name()} is different: {$words}",
            );
        } elseif (! $hadToShrink) {
            return new VerifiedList(
                $selection,
                $preloaded,
                $fpm->startMillis,
                array_values(array_diff($warnings->others, $this->plainLog->others)),
                $this->excluded,
            );
        }

        return null;
    }

    /** @return array{Baseline, string}|null a page that differs, and how */
    private function firstDifference(PrivateFpm $fpm): ?array
    {
        foreach ($this->pages as $number => $page) {
            $words = $page->difference($fpm);

            if ($words !== null) {
                // The next round compares this page first.
                $this->pages = [
                    $page, ...array_slice($this->pages, 0, $number), ...array_slice($this->pages, $number + 1),
                ];

                return [$page, $words];
            }
        }

        return null;
    }

    /** @throws UnableToPreload */
    private function excludeCause(Selection $selection, ?Baseline $page, DropReason $reason, string $words): void
    {
        $file = $this->bisection->firstCause($selection, $page);
        $name = $page?->page->name() ?? 'PHP-FPM';

        if ($file === null) {
            $this->unresolved[$name] = ($this->unresolved[$name] ?? 0) + 1;

            if ($this->unresolved[$name] > 2) {
                throw UnableToPreload::stillDiffers($name, $words);
            }

            return;
        }

        $this->excludedByPage[$name] = ($this->excludedByPage[$name] ?? 0) + 1;

        if ($page !== null && $this->excludedByPage[$name] > self::MAX_EXCLUDED_PER_PAGE) {
            throw UnableToPreload::showsPreloading($name, self::MAX_EXCLUDED_PER_PAGE, $words);
        }

        $this->exclude($selection, $file, $reason, $words);
    }

    private function excludeWarned(Selection $selection, StartupLog $warnings): void
    {
        $before = count($this->excluded);

        foreach ($selection->files as $file) {
            // PHP resolves symbolic links in the path of a file; the list has the path that Composer uses.
            $words = $warnings->byFile["{$this->root}/{$file}"]
                ?? $warnings->byFile[(string) realpath("{$this->root}/{$file}")]
                ?? null;

            foreach ($selection->classes[$file] ?? [] as $class) {
                $words ??= $warnings->byClass[$class] ?? null;
            }

            if ($words !== null) {
                $this->exclude($selection, $file, DropReason::Warned, "PHP says: {$words}");
            }
        }

        if (count($this->excluded) === $before) {
            throw UnableToPreload::unknownWarning(
                (string) array_key_first($warnings->byFile + $warnings->byClass),
                array_values($warnings->byFile + $warnings->byClass)[0] ?? '',
            );
        }
    }

    private function exclude(Selection $selection, string $file, DropReason $reason, string $words): void
    {
        $class = $selection->classes[$file][0] ?? $file;
        $this->excluded[$file] = new DroppedClass($class, $file, $reason, $words);
        ($this->progress)("{$class} is excluded: {$words}");
    }

    private static function firstLine(UnableToStart $e): string
    {
        foreach (explode("\n", $e->log === '' ? $e->getMessage() : $e->log) as $line) {
            if (preg_match('/(?:PHP )?(?:Fatal|Parse) error: +(.*)/', $line, $m) === 1) {
                return "PHP-FPM does not start with it: {$m[1]}";
            }
        }

        return 'PHP-FPM does not start with it';
    }
}
