<?php

declare(strict_types=1);

namespace Headroom\Sink\HttpClient;

use Headroom\Sink\BatchRejected;
use RuntimeException;

/**
 * Guzzle or the curl extension is not installed, so no request can be sent.
 *
 * @internal catch Headroom\Sink\UnableToDeliver
 */
final class ClientMissing extends RuntimeException implements BatchRejected
{
    private function __construct(string $message, public readonly string $fix)
    {
        parent::__construct("{$message} {$fix}");
    }

    public static function guzzle(): self
    {
        return new self(
            'Sinks that send over HTTP need Guzzle, which is not installed.',
            'Run `composer require guzzlehttp/guzzle`.',
        );
    }

    /** Without curl, Guzzle limits no total time and reuses no connection. */
    public static function curl(): self
    {
        return new self(
            'Sinks that send over HTTP need the PHP extension curl, which is not loaded.',
            'Install it (on Debian `apt install php-curl`), for the command line and for FPM.',
        );
    }
}
