<?php

declare(strict_types=1);

namespace Headroom\Spool\Health;

use Headroom\Core\Finding;
use Headroom\Spool\SpoolConfig;

/**
 * The buffer is turned off, so each request waits for its sinks.
 *
 * @internal
 */
final readonly class BufferIsOff implements HealthCheck
{
    public function __construct(private SpoolConfig $config) {}

    public function findings(): array
    {
        return $this->config->enabled() ? [] : [new Finding(
            'configuration',
            "The buffer is off ('enabled' is false): each request writes its events directly to their sinks and waits"
                .' for them.',
            'Set SPOOL_ENABLED=true (in Laravel, then run `config:clear`). Waiting events are flushed in any case.',
            false,
        )];
    }
}
