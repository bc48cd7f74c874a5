<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Support\ConfigReader;
use Headroom\Support\ConfigSchema;
use Headroom\Support\InvalidConfig;

/**
 * At most so many events of a bucket in any stretch of time of that length, on this node; on all of them together
 * where the bucket is in Redis.
 *
 * @phpstan-import-type Key from ConfigSchema
 */
final readonly class RateLimit
{
    /** @internal */
    public const SHAPE = "an array such as ['max' => 100, 'every' => 60]: at most so many events in so many seconds";

    /** @var array<string, Key> */
    private const KEYS = [
        'max' => ['type' => 'int', 'min' => 1, 'max' => 1_000_000, 'unit' => 'events'],
        'every' => ['type' => 'int', 'min' => 1, 'max' => 86_400, 'unit' => 'seconds'],
    ];

    /**
     * @param int<1, max> $events
     * @param int<1, max> $seconds
     */
    public function __construct(public int $events, public int $seconds) {}

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

        return new self(max(1, $schema->int($options, 'max')), max(1, $schema->int($options, 'every')));
    }

    public function words(): string
    {
        return "{$this->events} in {$this->seconds} s";
    }
}
