<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Support\ConfigReader;
use Headroom\Support\ConfigSchema;
use Headroom\Support\InvalidConfig;

/**
 * spool.redis: docs/redis.md.
 *
 * @phpstan-import-type Key from ConfigSchema
 */
final readonly class RedisConfig
{
    /** @var array<string, Key> */
    private const KEYS = [
        'connection' => ['type' => 'text', 'default' => 'default'],
        'wait' => ['type' => 'int', 'min' => 0, 'max' => 100, 'default' => 0, 'unit' => 'replicas'],
        'wait_ms' => ['type' => 'int', 'min' => 1, 'max' => 60_000, 'default' => 100, 'unit' => 'milliseconds'],
        'takeover' => ['type' => 'int', 'min' => 1, 'max' => 3_600, 'default' => 60, 'unit' => 'seconds'],
    ];

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

    /** @internal */
    public static function schema(): ConfigSchema
    {
        return new ConfigSchema(self::KEYS);
    }

    /**
     * @internal
     *
     * @throws InvalidConfig
     */
    public static function fromOptions(ConfigReader $options): self
    {
        $schema = self::schema();
        $schema->refuseUnknown($options);

        return new self(
            $options->string('connection', self::KEYS['connection']['default']),
            $schema->int($options, 'wait'),
            max(1, $schema->int($options, 'wait_ms')),
            max(1, $schema->int($options, 'takeover')),
        );
    }
}
