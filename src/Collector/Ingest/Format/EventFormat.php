<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Format;

use Generator;
use Headroom\Collector\Ingest\Event;
use Headroom\Collector\Ingest\EventError;
use Headroom\Collector\Ingest\RequestError;
use Headroom\Collector\Request;

/**
 * Reads the events of one kind of request body.
 *
 * @internal
 */
interface EventFormat
{
    /**
     * @param string $body without its content coding
     * @param int $limit bytes of one event
     * @return Generator<int, Event|EventError, void, string> the events in their order; returns the names of parts of
     *     the request that hold no event and are not stored, or ''
     *
     * @throws RequestError
     */
    public function events(Request $request, string $body, int $limit): Generator;
}
