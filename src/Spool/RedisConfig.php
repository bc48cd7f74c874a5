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
    /** @internal */
    public const KEYS = [
        'connection' => ['default' => 'default'],
        'wait' => ['min' => 0, 'max' => 100, 'default' => 0],
        'wait_ms' => ['min' => 1, 'max' => 60_000, 'default' => 100],
        'takeover' => ['min' => 1, 'max' => 3_600, 'default' => 60],
    ];

    /**
     * @param string $connection name of a Redis connection in config/database.php
     * @param int<0, max> $wait replicas that must have an event before its append returns
     * @param int<1, max> $waitMillis milliseconds that an append waits for them
     * @param int<1, max> $takeover seconds without a lease renewal after which another process takes over a flush
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
        $options->only(array_keys(self::KEYS));

        return new self(
            $options->string('connection', ...self::KEYS['connection']),
            $options->int('wait', ...self::KEYS['wait']),
            $options->int('wait_ms', ...self::KEYS['wait_ms']),
            $options->int('takeover', ...self::KEYS['takeover']),
        );
    }
}
