<?php

declare(strict_types=1);

namespace Headroom\Collector;

use Headroom\Core\HeadroomException;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * A request of HttpClient without a response.
 */
final class UnableToCall extends RuntimeException implements HeadroomException
{
    /** @param int<400, 599> $status recommended response of a handler that reports this failure */
    private function __construct(string $message, public readonly int $status)
    {
        parent::__construct(TerminalText::line($message));
    }

    public static function notConnected(string $host, string $reason): self
    {
        return new self(
            "No connection to {$host}: ".rtrim($reason, '.')
                .'. Check that the server runs and that its address is right.',
            502,
        );
    }

    public static function tooSlow(string $host, float $seconds): self
    {
        return new self("{$host} did not respond within {$seconds} s. Raise the timeout, or check its load.", 504);
    }

    public static function notConnectedInTime(string $host, float $seconds): self
    {
        return new self(
            "No connection to {$host} within {$seconds} s. The server does not accept it, or all file"
                .' descriptors of this worker are in use.',
            504,
        );
    }

    public static function unreadable(string $host, string $reason): self
    {
        return new self(
            "The response of {$host} cannot be read: ".rtrim($reason, '.').'. Check that it speaks HTTP/1.1.',
            502,
        );
    }

    public static function tooMany(): self
    {
        return new self(
            'All file descriptors of this worker are in use, and as many requests wait for one.'
                .' Retry, or start more workers.',
            503,
        );
    }

    public static function notAUrl(string $url): self
    {
        return new self(
            "'".TerminalText::name($url)."' is not a supported URL. It must be http://host[:port]/path.",
            500,
        );
    }
}
