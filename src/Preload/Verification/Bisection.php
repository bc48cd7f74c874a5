<?php

declare(strict_types=1);

namespace Headroom\Preload\Verification;

use Headroom\Core\Clock;
use Headroom\Preload\Fpm\PrivateFpm;
use Headroom\Preload\Script\CandidateScript;
use Headroom\Preload\Selection\Selection;
use Headroom\Preload\TargetApplication;
use Headroom\Process\UnableToStart;

/**
 * Finds the file of a list that changes a page or stops PHP. Each attempt starts a PHP-FPM with the beginning of the
 * list.
 *
 * @internal
 */
final readonly class Bisection
{
    public function __construct(
        private TargetApplication $application,
        private CandidateScript $candidate,
        private Clock $clock,
    ) {}

    /** @throws UnableToStart */
    public function start(Selection $selection): PrivateFpm
    {
        return PrivateFpm::start($this->application, $this->candidate->write($selection), clock: $this->clock);
    }

    /**
     * The first file with which the list fails. The list that ends before this file does not fail.
     *
     * @param ?Baseline $page that differs; null if PHP does not start
     * @return ?string null if the failure was not seen again
     */
    public function firstCause(Selection $selection, ?Baseline $page): ?string
    {
        $good = 0;
        $bad = count($selection->files);

        while ($bad - $good > 1) {
            $middle = intdiv($good + $bad, 2);
            $this->difference($selection->head($middle), $page) === null ? $good = $middle : $bad = $middle;
        }

        // Both ends are tried again: with a page that fails now and then, the search may end at an innocent file.
        $isSure = $this->difference($selection->head($bad), $page) !== null
            && $this->difference($selection->head($good), $page) === null;

        return $isSure ? $selection->files[$bad - 1] : null;
    }

    private function difference(Selection $selection, ?Baseline $page): ?string
    {
        try {
            $fpm = $this->start($selection);
        } catch (UnableToStart $e) {
            return $e->getMessage();
        }

        try {
            return $page?->difference($fpm);
        } finally {
            $fpm->stop();
        }
    }
}
