<?php

declare(strict_types=1);

namespace Headroom\Sink\HttpClient;

use Headroom\Sink\BatchRejected;
use Headroom\Sink\NamesCause;
use RuntimeException;

/**
 * The server rejected the request regardless of its events.
 *
 * @internal catch Headroom\Sink\UnableToDeliver
 */
final class EndpointRefused extends RuntimeException implements BatchRejected, NamesCause
{
    private function __construct(private readonly string $cause)
    {
        parent::__construct("{$cause} All events stay in the buffer.");
    }

    public function cause(): string
    {
        return $this->cause;
    }

    /** @param string $keys the settings that may hold the API key, as the message names them */
    public static function by(Endpoint $to, int $status, string $keys = "'headers' or 'sign'"): self
    {
        return new self("{$to->origin} answered with HTTP {$status}: ".match (true) {
            $status === 401, $status === 403 => "it does not accept this sender. Correct the key in the bucket's"
                ." {$keys}, and clear the configuration cache.",
            $status === 404,
            $status === 405,
            $status === 410 => "no service takes events at that address. Correct the bucket's 'url', and clear the"
                .' configuration cache.',
            $status >= 300 && $status < 400 => 'redirects are not followed, because a POST could become a GET.'
                ." Put the new address into the bucket's 'url', and clear the configuration cache.",
            default => "it does not take such requests. Check its log, and the bucket's 'url' and 'headers'.",
        });
    }
}
