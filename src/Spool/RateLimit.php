<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;

/**
 * Limits how many events of a bucket are delivered within any period of that length: on this node, or, for a bucket in
 * Redis, on all nodes together.
 */
final readonly class RateLimit
{
    /** @internal */
    public const KEYS = [
        'max' => ['min' => 1, 'max' => 1_000_000, 'default' => null],
        'every' => ['min' => 1, 'max' => 86_400, 'default' => null],
    ];

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
        $rate = $options->section(
            'rate_limit',
            "an array such as ['max' => 100, 'every' => 60]: at most so many events in so many seconds",
        )
            ->only(array_keys(self::KEYS));

        return new self($rate->int('max', ...self::KEYS['max']), $rate->int('every', ...self::KEYS['every']));
    }

    public function words(): string
    {
        return "{$this->events} in {$this->seconds} s";
    }
}
