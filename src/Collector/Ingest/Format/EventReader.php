<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Format;

use Headroom\Collector\Ingest\Event;
use Headroom\Collector\Ingest\EventError;

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
     * @throws EventError
     */
    public function read(string $text, int $limit): Event;
}
