<?php

declare(strict_types=1);

namespace Headroom\Collector\Intake;

/**
 * How one event is written.
 *
 * @internal
 */
interface EventReader
{
    /**
     * @param string $text as it was sent; it may be anything
     * @param int $limit bytes that it may have
     *
     * @throws Rejected
     */
    public function read(string $text, int $limit): Event;
}
