<?php

declare(strict_types=1);

namespace Headroom\Sink\HttpClient;

use Headroom\Core\Clock;
use Headroom\Sink\UnableToDeliver;

/**
 * Maps the status of a response to the failure of the whole delivery.
 *
 * @internal
 */
final readonly class StatusClassifier
{
    /** @return ?UnableToDeliver null if the delivery arrived */
    public static function on(HttpResponse $answer, Endpoint $from, Clock $clock): ?UnableToDeliver
    {
        $status = $answer->status;

        return match (true) {
            $answer->isSuccess() => null,
            // 409 for a request with an Idempotency-Key: the server is still processing the first request with that
            // key.
            $status === 409, HttpResponse::isBusy($status) => self::later($answer, $from, $clock)
                ?? UnableToSend::busy($from, $status),
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
