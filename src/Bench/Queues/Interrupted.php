<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues;

use Headroom\Core\HeadroomException;
use RuntimeException;

/**
 * Somebody pressed Ctrl-C. What was made for the measurement is removed on the way out.
 *
 * @internal
 */
final class Interrupted extends RuntimeException implements HeadroomException
{
    public static function bySignal(): self
    {
        return new self('Interrupted; what it had made is removed.');
    }
}
