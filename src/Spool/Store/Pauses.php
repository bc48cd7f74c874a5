<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use DateTimeImmutable;
use Headroom\Spool\Pause;
use Headroom\Spool\UnableToAppend;
use Headroom\Spool\UnableToFlush;

/**
 * The paused buckets of a store.
 *
 * @internal
 */
interface Pauses
{
    /**
     * @param string $bucket a valid name; the bucket need not be declared or exist
     * @param ?string $by the person that pauses it, such as a user of the application; null means the system user
     * @return bool false when it is paused already
     *
     * @throws UnableToFlush
     * @throws UnableToAppend
     */
    public function pause(string $bucket, DateTimeImmutable $now, ?string $by = null): bool;

    /**
     * @param string $bucket a valid name
     * @return bool false when it was not paused
     *
     * @throws UnableToFlush
     */
    public function resume(string $bucket): bool;

    /**
     * @param string $bucket a valid name
     *
     * @throws UnableToFlush the pause cannot be read
     */
    public function of(string $bucket): ?Pause;
}
