<?php

declare(strict_types=1);

namespace Headroom\Preload\Verification;

use Closure;
use Headroom\Preload\Dropped;
use Headroom\Preload\Fpm\FpmProbe;
use Headroom\Preload\Fpm\PrivateFpm;
use Headroom\Preload\Reason;
use Headroom\Preload\Selection\ListBuilder;
use Headroom\Preload\Selection\Selection;
use Headroom\Preload\UnableToPreload;
use Headroom\Process\UnableToStart;

/**
 * Takes classes out of a list until PHP starts with it, says nothing about it, and each page
 * answers as it does without it.
 *
 * @internal
 */
final class Verifier
{
    private const MOST_ROUNDS = 60;

    /** A page that so many classes change, one after the other, shows what preloading is and not what it breaks. */
    private const MOST_OF_A_PAGE = 5;

    /** No single class is at fault when there is too little of it for all: ZendAccelerator.c, and PHP's own limit. */
    private const NO_ROOM = '/(?:Insufficient shared memory|Not enough (?:shared memory|entries in hash table|memory)|Allowed memory size).*/';

    /** @var array<string, Dropped> by file */
    private array $banned = [];

    /** @var array<string, int> classes that were left out for it, by page */
    private array $convicted = [];

    /** @var array<string, int> how often no class was found, by page */
    private array $doubts = [];

    /**
     * @param string $root of the application, absolute, without symbolic links
     * @param non-empty-list<Baseline> $pages
     * @param Closure(string): void $tell of what is done
     */
    public function __construct(
        private readonly string $root,
        private readonly ListBuilder $lists,
        private readonly Bisection $trial,
        private array $pages,
        private readonly StartupLog $usual,
        private readonly Closure $tell,
    ) {}

    /** @throws UnableToPreload */
    public function verify(): Verified
    {
        for ($round = 1; $round <= self::MOST_ROUNDS; $round++) {
            $selection = $this->lists->select($this->banned);

            if ($selection->files === []) {
                throw UnableToPreload::nothingToPreload(count($selection->dropped));
            }

            ($this->tell)(sprintf(
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

        throw UnableToPreload::didNotSettle(self::MOST_ROUNDS);
    }

    private function round(Selection $selection): ?Verified
    {
        try {
            $fpm = $this->trial->start($selection);
        } catch (UnableToStart $e) {
            if (preg_match(self::NO_ROOM, $e->log, $m) === 1) {
                throw UnableToPreload::noRoom(count($selection->files), $m[0]);
            }

            $this->banCulprit($selection, null, Reason::StopsPhp, self::firstLine($e));

            return null;
        }

        try {
            $warnings = StartupLog::in($fpm->newLines());
            $preloaded = (new FpmProbe($fpm))->preloaded();

            if ($warnings->objections !== [] || $preloaded->scripts < count($selection->files)) {
                throw UnableToPreload::notPreloaded(
                    $preloaded->scripts,
                    count($selection->files),
                    $warnings->objections[0] ?? 'PHP does not say why',
                );
            }

            $isTooBig = $this->lists->weigh($selection, $preloaded->bytes);
            $differing = ! $warnings->nameClasses() && ! $isTooBig ? $this->firstDifference($fpm) : null;
        } finally {
            $fpm->stop();
        }

        if ($warnings->nameClasses()) {
            $this->banWarned($selection, $warnings);
        } elseif ($differing !== null) {
            [$page, $words] = $differing;
            ($this->tell)("{$page->page->name()}: {$words}; looking for the class");
            $this->banCulprit(
                $selection,
                $page,
                Reason::ChangesPage,
                "with it, {$page->page->name()} is not as without: {$words}",
            );
        } elseif (! $isTooBig) {
            return new Verified(
                $selection,
                $preloaded,
                $fpm->startMillis,
                array_values(array_diff($warnings->others, $this->usual->others)),
                $this->banned,
            );
        }

        return null;
    }

    /** @return array{Baseline, string}|null */
    private function firstDifference(PrivateFpm $fpm): ?array
    {
        foreach ($this->pages as $number => $page) {
            $words = $page->departure($fpm);

            if ($words !== null) {
                // It is asked first in the next round.
                $this->pages = [
                    $page, ...array_slice($this->pages, 0, $number), ...array_slice($this->pages, $number + 1),
                ];

                return [$page, $words];
            }
        }

        return null;
    }

    /** @throws UnableToPreload */
    private function banCulprit(Selection $selection, ?Baseline $page, Reason $reason, string $words): void
    {
        $file = $this->trial->culprit($selection, $page);
        $name = $page?->page->name() ?? 'PHP-FPM';

        if ($file === null) {
            $this->doubts[$name] = ($this->doubts[$name] ?? 0) + 1;

            if ($this->doubts[$name] > 2) {
                throw UnableToPreload::stillDiffers($name, $words);
            }

            return;
        }

        $this->convicted[$name] = ($this->convicted[$name] ?? 0) + 1;

        if ($page !== null && $this->convicted[$name] > self::MOST_OF_A_PAGE) {
            throw UnableToPreload::showsPreloading($name, self::MOST_OF_A_PAGE, $words);
        }

        $this->ban($selection, $file, $reason, $words);
    }

    private function banWarned(Selection $selection, StartupLog $warnings): void
    {
        $before = count($this->banned);

        foreach ($selection->files as $file) {
            // PHP names a file as it lies, and the list by the way that Composer goes to it.
            $words = $warnings->byFile["{$this->root}/{$file}"]
                ?? $warnings->byFile[(string) realpath("{$this->root}/{$file}")]
                ?? null;

            foreach ($selection->classes[$file] ?? [] as $class) {
                $words ??= $warnings->byClass[$class] ?? null;
            }

            if ($words !== null) {
                $this->ban($selection, $file, Reason::Warned, "PHP says: {$words}");
            }
        }

        if (count($this->banned) === $before) {
            throw UnableToPreload::unknownWarning(
                (string) array_key_first($warnings->byFile + $warnings->byClass),
                array_values($warnings->byFile + $warnings->byClass)[0] ?? '',
            );
        }
    }

    private function ban(Selection $selection, string $file, Reason $reason, string $words): void
    {
        $class = $selection->classes[$file][0] ?? $file;
        $this->banned[$file] = new Dropped($class, $file, $reason, $words);
        ($this->tell)("{$class} is left out: {$words}");
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
