<?php

declare(strict_types=1);

namespace Headroom\Sink\HttpClient;

use Headroom\Sink\BatchRejected;
use RuntimeException;

/**
 * The server turned the request away without regard to the events.
 *
 * @internal catch Headroom\Sink\UnableToDeliver
 */
final class EndpointRefused extends RuntimeException implements BatchRejected
{
    private function __construct(string $message)
    {
        parent::__construct($message);
    }

    /** @param string $keys the settings that a key may stand in */
    public static function by(Endpoint $to, int $status, string $keys = "'headers' or 'sign'"): self
    {
        return new self("{$to->shown} answered with HTTP {$status}: ".match (true) {
            $status === 401, $status === 403 => "it does not accept this sender. Correct the key in the bucket's {$keys} (in Laravel, then run `config:clear`).",
            $status === 404, $status === 405, $status === 410 => "nothing takes events at that address. Correct the bucket's 'url' (in Laravel, then run `config:clear`).",
            $status >= 300 && $status < 400 => "it sends elsewhere, which is not followed, since a POST would become a GET on the way. Put the new address into the bucket's 'url' (in Laravel, then run `config:clear`).",
            default => "it does not take such requests. Its own log says more; the bucket's 'url' and 'headers' say what is sent.",
        }.' No event is set aside for that: all of them wait.');
    }
}
