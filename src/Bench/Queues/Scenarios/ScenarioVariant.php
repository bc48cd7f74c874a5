<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Scenarios;

use Headroom\Bench\Queues\Workload;

/**
 * What a scenario makes of a driver: one row of it.
 *
 * @internal
 */
final readonly class ScenarioVariant
{
    /**
     * @param string $name behind that of the driver, '' when it is the only row
     * @param array<string, mixed> $connection settings of the queue's connection that go before its own
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
