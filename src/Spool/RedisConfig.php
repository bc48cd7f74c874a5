<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;

/**
 * spool.redis: docs/redis.md.
 */
final readonly class RedisConfig
{
    /**
     * @param string $connection name of one in config/database.php
     * @param int<0, max> $wait replicas that must have an event before its append returns
     * @param int<1, max> $waitMillis how long an append waits for them
     * @param int<1, max> $takeover seconds after which another process takes over from one that flushes and is not heard of any more
     */
    private function __construct(
        public string $connection,
        public int $wait,
        public int $waitMillis,
        public int $takeover,
    ) {}

    /**
     * @internal
     *
     * @throws InvalidConfig
     */
    public static function fromOptions(ConfigReader $options): self
    {
        $options->only(['connection', 'wait', 'wait_ms', 'takeover']);

        return new self(
            $options->string('connection', 'default'),
            $options->int('wait', 0, 100, 0),
            $options->int('wait_ms', 1, 60_000, 100),
            $options->int('takeover', 1, 3_600, 60),
        );
    }
}
