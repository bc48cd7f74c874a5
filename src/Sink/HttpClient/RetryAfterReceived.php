<?php

declare(strict_types=1);

namespace Headroom\Sink\HttpClient;

use Headroom\Sink\RetryLater;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * The server sent a Retry-After header.
 *
 * @internal catch Headroom\Sink\RetryLater
 */
final class RetryAfterReceived extends RuntimeException implements RetryLater
{
    /** @param int<0, max> $seconds */
    private function __construct(string $message, private readonly int $seconds)
    {
        parent::__construct($message);
    }

    /** @param int<0, max> $seconds */
    public static function by(Endpoint $to, int $status, int $seconds): self
    {
        return new self(
            "{$to->origin} answered with HTTP {$status}: it is too busy and asks for a retry in "
                .TerminalText::count($seconds, 'second').'.',
            $seconds,
        );
    }

    public function retryAfter(): int
    {
        return $this->seconds;
    }
}
