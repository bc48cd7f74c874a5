<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Laravel;

/**
 * @internal
 */
final readonly class QueueWorker
{
    /**
     * @param ?string $connection null: the default one
     * @param int $timeout seconds that a job may take; 0: for ever
     */
    public function __construct(public int $pid, public ?string $connection, public int $timeout) {}
}
