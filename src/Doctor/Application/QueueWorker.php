<?php

declare(strict_types=1);

namespace Headroom\Doctor\Application;

/**
 * @internal
 */
final readonly class QueueWorker
{
    /**
     * @param ?string $connection null: the default one
     * @param int $timeout seconds that a job may take; 0: without a limit
     * @param ?string $artisan the path that it was started by; '' where nothing is there, or in a container, whose
     *     paths mean nothing here; null to who may not see where it runs
     */
    public function __construct(
        public int $pid,
        public ?string $connection,
        public int $timeout,
        private ?string $artisan = null,
    ) {}

    /** @return ?bool whether it is a worker of the application at this path; null: not known */
    public function isOf(string $basePath): ?bool
    {
        $base = realpath($basePath);

        return $this->artisan === null || $base === false ? null : $this->artisan === "{$base}/artisan";
    }
}
