<?php

declare(strict_types=1);

namespace Headroom\Spool\Exceptions;

use Headroom\Core\Permanent;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * The bucket's configuration does not fit the bucket's events. Change the configuration.
 */
final class ConfigMismatch extends RuntimeException implements Permanent, UnableToFlush
{
    private function __construct(string $message, public readonly string $bucket)
    {
        parent::__construct(TerminalText::line($message));
    }

    public static function sinkChanged(string $bucket, string $begun, string $now): self
    {
        return new self(
            "Bucket '{$bucket}' has a delivery in progress to the sink {$begun}, and its configuration now names"
                ." {$now}. Restore the old settings and flush once; see docs/errors.md#sink-changed.",
            $bucket,
        );
    }

    public static function redisMissing(string $bucket): self
    {
        return new self("Bucket '{$bucket}' has store 'redis', and no Redis connection is configured here."
            .' Configure spool.redis, or flush the bucket from the Laravel application.', $bucket);
    }
}
