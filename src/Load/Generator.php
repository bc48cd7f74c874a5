<?php

declare(strict_types=1);

namespace Headroom\Load;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Load\Curl\Engine;

/**
 * Sends what the plan says and nothing else: no proxy of the environment, no redirect followed.
 */
final class Generator
{
    /** The console, the libraries and libcurl itself have files open too. */
    private const OTHER_FILES = 40;

    private ?Engine $engine = null;

    public function __construct(
        private readonly Clock $clock = new SystemClock,
        private readonly CpuTime $cpu = new ProcessCpuTime,
    ) {}

    /** @throws UnableToLoad */
    public function run(Plan $plan, RequestSource $source, ?Observer $observer = null, ?Watcher $watcher = null): LoadResult
    {
        self::demandCurl();
        self::demandFiles($plan->concurrency);

        $tally = new Tally($plan);
        $this->engine = new Engine($plan, $source, $tally, $observer, $watcher, $this->clock);
        $cpu = $this->cpu->micros();
        $started = $this->clock->monotonicNanos();

        try {
            $stoppedEarly = $this->engine->run();
        } finally {
            $this->engine = null;
        }

        $seconds = ($this->clock->monotonicNanos() - $started) / 1e9;

        return LoadResult::fromTally($plan, $tally, $seconds, ($this->cpu->micros() - $cpu) / 1e6, $stoppedEarly, $started);
    }

    /** For signal handlers and observers: the run ends at once, and what is in flight counts as unfinished. */
    public function stop(): void
    {
        $this->engine?->stop();
    }

    private static function demandCurl(): void
    {
        if (! extension_loaded('curl')) {
            throw UnableToLoad::missingCurl();
        }
    }

    private static function demandFiles(int $concurrency): void
    {
        $limits = function_exists('posix_getrlimit') ? posix_getrlimit() : false;
        $limit = $limits === false ? null : $limits['soft openfiles'];

        if (is_numeric($limit) && (int) $limit < $concurrency + self::OTHER_FILES) {
            throw UnableToLoad::tooFewFiles($concurrency, $concurrency + self::OTHER_FILES, (int) $limit);
        }
    }
}
