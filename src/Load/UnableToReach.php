<?php

declare(strict_types=1);

namespace Headroom\Load;

use Headroom\Core\Permanent;
use RuntimeException;

/**
 * No HTTP server responds at the address, so there is nothing to measure.
 *
 * @internal
 */
final class UnableToReach extends RuntimeException implements Permanent
{
    private function __construct(string $message)
    {
        parent::__construct($message);
    }

    public static function notConnected(Target $target, Failure $failure, string $reason): self
    {
        $step = match ($failure) {
            Failure::Refused => 'Start the server, or correct the port.',
            Failure::NotResolved => 'Correct the host name, or give an IP address and a Host header.',
            Failure::TimeoutConnecting => 'Check the address and the firewall, or raise --timeout.',
            Failure::Tls => '',
            default => 'Correct the address, or check the network of this machine.',
        };

        return new self(rtrim("No request was sent to {$target->origin}: ".rtrim($reason, '.').". {$step}"));
    }

    public static function silent(Target $target, float $seconds): self
    {
        return new self(
            "No request was sent to {$target->origin}: the server accepted the connection and did not complete the"
                ." TLS handshake within {$seconds} s. Correct the port, or try http://.",
        );
    }

    /** @param string $seen the bytes that the server sent */
    public static function notHttp(Target $target, string $seen): self
    {
        // A TLS record of the type alert, with its control characters escaped.
        $step = str_contains($seen, '\x15\x03') ? 'The port speaks TLS: use https://.' : 'Correct the port.';

        return new self("The server at {$target->origin} does not speak HTTP/1.1: {$seen}. {$step}");
    }

    public static function closesAll(Target $target, int $connections): self
    {
        $step = $target->isTls ? 'Correct the port' : 'Correct the port, try https://';

        return new self(
            "The server at {$target->origin} closed the first {$connections} connections without a response. {$step},"
                .' or read the error log of the server.',
        );
    }

    /** @param string $reason of the last one */
    public static function refusesAll(Target $target, int $connections, string $reason): self
    {
        $count = $connections === 1 ? 'the first connection' : "the first {$connections} connections";

        return new self(
            "The server at {$target->origin} refused {$count}: {$reason}. Start the server, or correct the port.",
        );
    }

    public static function because(string $message): self
    {
        return new self($message);
    }
}
