<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Scenarios;

use Headroom\Bench\Queues\Workload;

/**
 * One row of a scenario for a driver.
 *
 * @internal
 */
final readonly class ScenarioVariant
{
    /**
     * @param string $name after that of the driver, '' if it is the only row
     * @param array<string, mixed> $connection settings that override those of the queue's connection
     * @param array<string, mixed> $redis settings of the Redis connection below it
     * @param array<string, mixed> $config of the workers, by its keys with dots
     */
    public function __construct(
        public string $name,
        public Workload $workload,
        public array $connection = [],
        public array $redis = [],
        public array $config = [],
    ) {}
}
