<?php

declare(strict_types=1);

namespace Headroom\Sink\HttpClient;

use Headroom\Sink\InvalidRecords;
use RuntimeException;

/**
 * The server took offence at what was in the request, or at its size.
 *
 * @internal catch Headroom\Sink\InvalidRecords
 */
final class BatchRefused extends RuntimeException implements InvalidRecords
{
    private function __construct(string $message)
    {
        parent::__construct($message);
    }

    /** Without the answer's body: it may quote the events. */
    public static function by(Endpoint $to, int $status): self
    {
        return new self("{$to->shown} answered with HTTP {$status}: ".($status === 413 ? 'the request is too large for it.' : 'it refuses the content.').' Its own log says more.');
    }
}
