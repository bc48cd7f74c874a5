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
abstract readonly class EventReader
{
    /**
     * @param string $text as the client sent it; it may be anything
     * @param int $limit bytes of one event
     *
     * @throws RequestError
     */
    final public function event(string $text, int $limit): Event|EventError
    {
        try {
            return $this->read($text, $limit);
        } catch (EventError $error) {
            return $error->withText($text);
        }
    }

    /**
     * @throws EventError
     * @throws RequestError
     */
    abstract public function read(string $text, int $limit): Event;
}
