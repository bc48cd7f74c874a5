<?php

declare(strict_types=1);

namespace Headroom\Preload\Observation;

use Headroom\Core\Clock;
use Headroom\Host\Fpm\UnableToQueryPool;
use Headroom\Preload\Fpm\PageResponse;
use Headroom\Preload\Fpm\PrivateFpm;
use Headroom\Preload\Page;
use Headroom\Preload\TargetApplication;
use Headroom\Process\TemporaryDirectory;

/**
 * Requests pages from a private PHP-FPM that does not preload, and records which classes each page uses.
 *
 * @internal
 */
final readonly class PageRunner
{
    /**
     * Only classes of every repetition count. Others, such as those that sweep old sessions, would change each list.
     */
    private const REPETITIONS = 3;

    /** @param string $prepended the auto_prepend_file of php.ini; '' for none */
    public function __construct(
        private TargetApplication $application,
        private string $prepended,
        private Clock $clock,
    ) {}

    /**
     * @param list<Page> $pages
     *
     * @throws UnableToObserve
     */
    public function observe(array $pages): ObservedPages
    {
        $directory = TemporaryDirectory::create('recorder', $this->application->account);

        try {
            $recorder = ClassRecorder::in($directory, $this->prepended, $this->clock);
            $fpm = PrivateFpm::start($this->application, null, $recorder->ini(), $this->clock);

            try {
                return $this->run($pages, $fpm, $recorder);
            } finally {
                $fpm->stop();
            }
        } finally {
            $directory->remove();
        }
    }

    /** @param list<Page> $pages */
    private function run(array $pages, PrivateFpm $fpm, ClassRecorder $recorder): ObservedPages
    {
        $succeeded = [];
        $failed = [];
        $errors = [];

        foreach ($pages as $number => $page) {
            try {
                // The first request also compiles and caches, which later ones do not.
                $fpm->ask($page);
                [$reply, $classes] = $this->record($page, $number, $fpm, $recorder);
            } catch (UnableToQueryPool $e) {
                $failed[$page->name()] = $e->getMessage();

                continue;
            } catch (UnableToObserve $e) {
                $failed[$page->name()] = $e->isOfPage ? $e->getMessage() : throw $e;

                continue;
            }

            if ($reply->hasFailed()) {
                // An error page uses the classes of error handling, which are not worth preloading.
                $logged = $reply->logged === [] ? '' : ": {$reply->logged[0]}";
                $errors[] = [$page, "it answers {$reply->status}{$logged}"];
            } else {
                $succeeded[] = [$page, $classes];
            }
        }

        return new ObservedPages($succeeded, $failed, $errors);
    }

    /** @return array{PageResponse, list<string>} the last answer, and the classes of every repetition */
    private function record(Page $page, int $number, PrivateFpm $fpm, ClassRecorder $recorder): array
    {
        $replies = [];
        $uses = [];

        for ($i = 0; $i < self::REPETITIONS; $i++) {
            $request = $number * self::REPETITIONS + $i;
            $replies[] = $fpm->ask($page, $recorder->parameters($request));
            $uses[] = $recorder->classesOf($request);
        }

        return [$replies[self::REPETITIONS - 1], array_values(array_intersect(...$uses))];
    }
}
