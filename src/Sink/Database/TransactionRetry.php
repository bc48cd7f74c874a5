<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use Headroom\Core\Clock;
use Headroom\Sink\Database\Dialect\DatabaseError;
use Throwable;

/**
 * Decides whether a failed transaction is tried again, and waits before the next attempt.
 *
 * @internal
 */
final readonly class TransactionRetry
{
    /** The other transaction of a deadlock ends soon, so a few attempts are enough. */
    private const TRIES = 4;

    private const CONFLICT_MICROS = 50_000;

    public function __construct(private Clock $clock) {}

    /** @param bool $isRepeated true if a second attempt may avoid the cause of an error other than a conflict */
    public function allows(Throwable $e, int $try, bool $isRepeated): bool
    {
        if (! DatabaseError::isConflict($e)) {
            return $isRepeated;
        }

        if ($try >= self::TRIES) {
            return false;
        }

        $this->clock->sleep(random_int(0, self::CONFLICT_MICROS * $try));

        return true;
    }
}
