<?php

declare(strict_types=1);

namespace Headroom\Sink\HttpClient;

use Headroom\Sink\BatchRejected;
use RuntimeException;

/**
 * What requests are sent with is not installed here.
 *
 * @internal catch Headroom\Sink\UnableToDeliver
 */
final class ClientMissing extends RuntimeException implements BatchRejected
{
    private function __construct(string $message, public readonly string $mend)
    {
        parent::__construct("{$message} {$mend}");
    }

    public static function guzzle(): self
    {
        return new self(
            'Sinks that send over HTTP need Guzzle, which is not installed.',
            'Run `composer require guzzlehttp/guzzle`.',
        );
    }

    /** Without it Guzzle holds to no total time limit and keeps no connection. */
    public static function curl(): self
    {
        return new self("Sinks that send over HTTP need PHP's extension curl, which is not loaded.", 'Install it (on Debian `apt install php-curl`), for the command line and for FPM.');
    }
}
