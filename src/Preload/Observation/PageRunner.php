<?php

declare(strict_types=1);

namespace Headroom\Preload\Observation;

use Headroom\Core\Clock;
use Headroom\Host\Fpm\UnableToAsk;
use Headroom\Preload\Fpm\PageResponse;
use Headroom\Preload\Fpm\PrivateFpm;
use Headroom\Preload\Page;
use Headroom\Preload\TargetApplication;
use Headroom\Process\TemporaryDirectory;

/**
 * Asks the application for pages, in a private PHP-FPM that does not preload, and sees which classes each uses.
 *
 * @internal
 */
final readonly class PageRunner
{
    /** What a page uses now and then, such as to sweep old sessions, would make another list each time. */
    private const TIMES = 3;

    /** @param string $prepended what php.ini's auto_prepend_file is; '' for nothing */
    public function __construct(private TargetApplication $site, private string $prepended, private Clock $clock) {}

    /**
     * @param list<Page> $pages
     *
     * @throws UnableToObserve
     */
    public function observe(array $pages): ObservedPages
    {
        $directory = TemporaryDirectory::create('watch', $this->site->account);

        try {
            $watch = ClassRecorder::in($directory, $this->prepended, $this->clock);
            $fpm = PrivateFpm::start($this->site, null, $watch->ini(), $this->clock);

            try {
                return $this->drive($pages, $fpm, $watch);
            } finally {
                $fpm->stop();
            }
        } finally {
            $directory->remove();
        }
    }

    /** @param list<Page> $pages */
    private function drive(array $pages, PrivateFpm $fpm, ClassRecorder $watch): ObservedPages
    {
        $seen = [];
        $failed = [];
        $errors = [];

        foreach ($pages as $number => $page) {
            try {
                // What it compiles and caches the first time it does not use again.
                $fpm->ask($page);
                [$reply, $classes] = $this->watched($page, $number, $fpm, $watch);
            } catch (UnableToAsk $e) {
                $failed[$page->name()] = $e->getMessage();

                continue;
            } catch (UnableToObserve $e) {
                $failed[$page->name()] = $e->isOfPage ? $e->getMessage() : throw $e;

                continue;
            }

            if ($reply->hasFailed()) {
                // What it uses is what an error needs, which no list is made for.
                $said = $reply->logged === [] ? '' : ": {$reply->logged[0]}";
                $errors[] = [$page, "it answers {$reply->status}{$said}"];
            } else {
                $seen[] = [$page, $classes];
            }
        }

        return new ObservedPages($seen, $failed, $errors);
    }

    /** @return array{PageResponse, list<string>} the last answer, and what the page used each time */
    private function watched(Page $page, int $number, PrivateFpm $fpm, ClassRecorder $watch): array
    {
        $replies = [];
        $uses = [];

        for ($i = 0; $i < self::TIMES; $i++) {
            $request = $number * self::TIMES + $i;
            $replies[] = $fpm->ask($page, $watch->parameters($request));
            $uses[] = $watch->classesOf($request);
        }

        return [$replies[self::TIMES - 1], array_values(array_intersect(...$uses))];
    }
}
