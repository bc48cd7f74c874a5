<?php

declare(strict_types=1);

namespace Headroom\Load;

use Headroom\Core\Permanent;
use RuntimeException;

/**
 * No HTTP server answers at the address, so that there is nothing to measure.
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
            Failure::TimeoutConnecting => 'Look for a firewall or a wrong address, or raise --timeout.',
            Failure::Tls => '',
            default => 'Correct the address, or look at the network of this machine.',
        };

        return new self(rtrim("No request was sent to {$target->origin}: ".rtrim($reason, '.').". {$step}"));
    }

    public static function silent(Target $target, float $seconds): self
    {
        return new self(
            "No request was sent to {$target->origin}: the server accepted the connection and did not answer the TLS"
                ." handshake within {$seconds} s. Correct the port, or try http://.",
        );
    }

    /** @param string $seen what came instead of an answer */
    public static function notHttp(Target $target, string $seen): self
    {
        // A record of TLS, as Printable writes it: an alert.
        $step = str_contains($seen, '\x15\x03') ? 'Use https://, as it speaks TLS.' : 'Correct the port.';

        return new self("The server at {$target->origin} does not speak HTTP/1.1: {$seen}. {$step}");
    }

    public static function closesAll(Target $target, int $connections): self
    {
        $step = $target->isTls ? 'Correct the port' : 'Correct the port, try https://';

        return new self(
            "The server at {$target->origin} closed the first {$connections} connections without an answer. {$step},"
                .' or read the error log of the server.',
        );
    }

    /** As another process of the run told it. */
    public static function told(string $message): self
    {
        return new self($message);
    }
}
