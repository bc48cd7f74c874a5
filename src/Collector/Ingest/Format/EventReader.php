<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Format;

use Headroom\Collector\Ingest\Event;
use Headroom\Collector\Ingest\EventError;
use Headroom\Collector\Ingest\RequestError;

/**
 * Reads the text of one event.
 *
 * @internal
 */
interface EventReader
{
    /**
     * @param string $text as the client sent it; it may be anything
     * @param int $limit bytes of one event
     *
     * @throws EventError
     * @throws RequestError
     */
    public function read(string $text, int $limit): Event;
}
