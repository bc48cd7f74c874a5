<?php

declare(strict_types=1);

namespace Headroom\Sink\HttpClient;

use Headroom\Core\Clock;
use Headroom\Sink\UnableToDeliver;

/**
 * What a status means for a delivery as a whole.
 *
 * @internal
 */
final readonly class StatusClassifier
{
    /** @return ?UnableToDeliver null: it arrived */
    public static function on(HttpResponse $answer, Endpoint $from, Clock $clock): ?UnableToDeliver
    {
        $status = $answer->status;

        return match (true) {
            $answer->isSuccess() => null,
            // To a request with an Idempotency-Key: the first one with that key is still being worked on.
            $status === 409, HttpResponse::isBusy($status) => self::later($answer, $from, $clock) ?? UnableToSend::busy($from, $status),
            in_array($status, [400, 413, 422], true) => BatchRefused::by($from, $status),
            default => EndpointRefused::by($from, $status),
        };
    }

    public static function later(HttpResponse $answer, Endpoint $from, Clock $clock): ?RetryAfterReceived
    {
        $seconds = RetryAfterHeader::seconds($answer->retryAfter, $answer->date, intdiv($clock->micros(), 1_000_000));

        return $seconds === null ? null : RetryAfterReceived::by($from, $answer->status, $seconds);
    }
}
