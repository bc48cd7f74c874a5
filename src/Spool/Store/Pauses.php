<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use DateTimeImmutable;
use Headroom\Spool\Pause;
use Headroom\Spool\UnableToAppend;
use Headroom\Spool\UnableToFlush;

/**
 * Buckets of which somebody has asked that nothing be delivered for now.
 *
 * @internal
 */
interface Pauses
{
    /**
     * @param string $bucket a valid name; it need not be declared, nor ever have been written to
     * @return bool false when it is paused already
     *
     * @throws UnableToFlush
     * @throws UnableToAppend
     */
    public function pause(string $bucket, DateTimeImmutable $now): bool;

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
     * @throws UnableToFlush it can not be known
     */
    public function of(string $bucket): ?Pause;
}
