<?php

declare(strict_types=1);

namespace Headroom\Collector;

use Headroom\Core\HeadroomException;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * A call of HttpClient that got no answer.
 */
final class UnableToCall extends RuntimeException implements HeadroomException
{
    /** @param int<400, 599> $status what a handler that passes it on would best answer */
    private function __construct(string $message, public readonly int $status)
    {
        parent::__construct(TerminalText::line($message));
    }

    public static function notConnected(string $host, string $reason): self
    {
        return new self("No connection to {$host}: {$reason}.", 502);
    }

    public static function tooSlow(string $host, float $seconds): self
    {
        return new self("{$host} did not answer within {$seconds} s.", 504);
    }

    public static function notConnectedInTime(string $host, float $seconds): self
    {
        return new self(
            "No connection to {$host} came about within {$seconds} s: it takes none, or this worker has all the"
                .' descriptors in use that it may have.',
            504,
        );
    }

    public static function unreadable(string $host, string $reason): self
    {
        return new self("The answer of {$host} cannot be read: {$reason}.", 502);
    }

    public static function tooMany(): self
    {
        return new self(
            'This worker has all the descriptors in use that it may have, and as many calls wait for one already.'
                .' Try again, or give the collector more workers.',
            503,
        );
    }

    public static function notAUrl(string $url): self
    {
        return new self(
            "'".TerminalText::name($url)."' is no URL that can be called: it must be http://host[:port]/path.",
            500,
        );
    }
}
