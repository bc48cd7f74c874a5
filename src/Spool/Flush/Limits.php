<?php

declare(strict_types=1);

namespace Headroom\Spool\Flush;

use Closure;
use Headroom\Sink\Delivery;

/**
 * When a flush stops before the end of the log.
 *
 * @internal
 */
final readonly class Limits
{
    /**
     * @param ?int<1, max> $events
     * @param ?int<1, max> $seconds looked at between two deliveries
     * @param ?Closure(Delivery): void $watch sees each delivery that has arrived
     */
    public function __construct(public ?int $events = null, public ?int $seconds = null, public ?Closure $watch = null) {}
}
