<?php

declare(strict_types=1);

namespace Headroom\Sink\HttpClient;

use Headroom\Sink\InvalidRecords;
use RuntimeException;

/**
 * The server rejected the content of the request, or its size.
 *
 * @internal catch Headroom\Sink\InvalidRecords
 */
final class BatchRefused extends RuntimeException implements InvalidRecords
{
    private function __construct(string $message)
    {
        parent::__construct($message);
    }

    /** The message leaves out the response body, because it may quote the events. */
    public static function by(Endpoint $to, int $status): self
    {
        return new self(
            "{$to->origin} answered with HTTP {$status}: "
                .($status === 413 ? 'the request is too large.' : 'it rejects the content.')
                .' Check the log of that server.',
        );
    }
}
