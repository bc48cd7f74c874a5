<?php

declare(strict_types=1);

namespace Headroom\Preload\Verification;

use Headroom\Core\Clock;
use Headroom\Preload\Fpm\PrivateFpm;
use Headroom\Preload\Script\Candidate;
use Headroom\Preload\Selection\Selection;
use Headroom\Preload\TargetApplication;
use Headroom\Process\UnableToStart;

/**
 * Tries lists with a PHP-FPM of their own.
 *
 * @internal
 */
final readonly class Bisection
{
    public function __construct(private TargetApplication $site, private Candidate $candidate, private Clock $clock) {}

    /** @throws UnableToStart */
    public function start(Selection $selection): PrivateFpm
    {
        return PrivateFpm::start($this->site, $this->candidate->write($selection), clock: $this->clock);
    }

    /**
     * The file with which it begins to go wrong: the files before it are not enough, it and they are. Null when it did
     * not go wrong again.
     *
     * @param ?Baseline $page that departs; null when PHP did not start
     */
    public function culprit(Selection $selection, ?Baseline $page): ?string
    {
        $good = 0;
        $bad = count($selection->files);

        while ($bad - $good > 1) {
            $middle = intdiv($good + $bad, 2);
            $this->departure($selection->head($middle), $page) === null ? $good = $middle : $bad = $middle;
        }

        // Once more, since a page that fails now and then would convict whatever stands where the search ends.
        $isSure = $this->departure($selection->head($bad), $page) !== null
            && $this->departure($selection->head($good), $page) === null;

        return $isSure ? $selection->files[$bad - 1] : null;
    }

    private function departure(Selection $selection, ?Baseline $page): ?string
    {
        try {
            $fpm = $this->start($selection);
        } catch (UnableToStart $e) {
            return $e->getMessage();
        }

        try {
            return $page?->departure($fpm);
        } finally {
            $fpm->stop();
        }
    }
}
