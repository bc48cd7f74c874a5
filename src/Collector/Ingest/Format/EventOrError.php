<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Format;

use Headroom\Collector\Ingest\Event;
use Headroom\Collector\Ingest\EventError;
use Headroom\Collector\Ingest\RequestError;

/**
 * The event that a reader returns, or its error, so that a format can continue with the next event.
 *
 * @internal
 */
final readonly class EventOrError
{
    /** @throws RequestError */
    public static function of(EventReader $reader, string $text, int $limit): Event|EventError
    {
        try {
            return $reader->read($text, $limit);
        } catch (EventError $error) {
            return $error->withText($text);
        }
    }
}
