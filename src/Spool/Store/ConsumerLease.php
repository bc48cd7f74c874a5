<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Closure;
use Headroom\Core\Position;
use Headroom\Sink\Source;
use Headroom\Spool\UnableToFlush;

/**
 * The right to flush a bucket. It dies with the process.
 *
 * @internal
 */
final readonly class ConsumerLease
{
    /**
     * @param Closure(Position): void $release
     * @param bool $isSynced what its sink received is to be on disk before the log gives its own copy up
     */
    public function __construct(public Source $source, public Log $log, public DeadLetterStore $letters, private Closure $release, public bool $isSynced = false) {}

    /**
     * @param Position $delivered everything before it may be retired now and removed later
     *
     * @throws UnableToFlush
     */
    public function release(Position $delivered): void
    {
        ($this->release)($delivered);
    }
}
