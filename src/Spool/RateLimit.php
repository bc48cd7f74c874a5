<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;

/**
 * At most so many events of a bucket in any stretch of time of that length, on this node; on all of them together
 * where the bucket is in Redis.
 */
final readonly class RateLimit
{
    private const EVENTS = 1_000_000;

    private const SECONDS = 86_400;

    /**
     * @param int<1, max> $events
     * @param int<1, max> $seconds
     */
    public function __construct(public int $events, public int $seconds) {}

    /**
     * @internal
     *
     * @param ConfigReader $options of the bucket
     *
     * @throws InvalidConfig
     */
    public static function fromOptions(ConfigReader $options): self
    {
        $rate = $options->section('rate', "an array such as [100, 'per' => 60]: at most so many events in so many seconds")->only(['0', 'per']);

        return new self($rate->int('0', 1, self::EVENTS, null), $rate->int('per', 1, self::SECONDS, null));
    }

    public function words(): string
    {
        return "{$this->events} in {$this->seconds} s";
    }
}
