<?php

declare(strict_types=1);

namespace Headroom\Spool\Services;

use Headroom\Spool\Events\BucketPaused;
use Headroom\Spool\Events\BucketResumed;
use Headroom\Spool\UnableToAppend;
use Headroom\Spool\UnableToFlush;

/**
 * Pauses and resumes buckets, on disk or in Redis, for the commands and the dashboard.
 *
 * @internal
 */
final readonly class PauseSwitch
{
    public function __construct(private SpoolServices $spool) {}

    /**
     * Call notifyPaused() once all buckets are paused, because a listener may take its time.
     *
     * @param ?string $by the person that pauses it; null means the system user
     * @return bool false if it was paused before
     *
     * @throws UnableToFlush
     * @throws UnableToAppend
     */
    public function pause(string $bucket, ?string $by = null): bool
    {
        return $this->spool->stores()->pauses($bucket)->pause($bucket, $this->spool->clock()->now(), $by);
    }

    public function notifyPaused(string $bucket): void
    {
        $this->spool->notifier()->notify(new BucketPaused($bucket));
    }

    /**
     * @return bool false if it was not paused
     *
     * @throws UnableToFlush
     */
    public function resume(string $bucket): bool
    {
        $isResumed = $this->spool->stores()->pauses($bucket)->resume($bucket);

        if ($isResumed) {
            $this->spool->notifier()->notify(new BucketResumed($bucket));
        }

        return $isResumed;
    }
}
