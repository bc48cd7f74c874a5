<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis;

use Headroom\Doctor\Evidence;

/**
 * The time for which a client waits for a reply of Redis before it closes the connection.
 *
 * @internal
 */
final readonly class ReplyTimeout
{
    /**
     * A server sends the reply of a blocking command up to a tenth of a second late (hz 10), and the network adds its
     * time.
     */
    public const MARGIN = 0.5;

    /**
     * @param string $option the client's name for it
     * @param ?string $key of the configuration that sets it; null if PHP's default applies
     * @param ?float $seconds null: the client waits forever
     * @param non-empty-list<Evidence> $evidence
     */
    public function __construct(
        public string $option,
        public ?string $key,
        public ?float $seconds,
        public array $evidence,
    ) {}

    /** @param float $seconds for which a command blocks; 0: forever */
    public function outlasts(float $seconds): bool
    {
        return $this->seconds === null || ($seconds > 0.0 && $this->seconds >= $seconds + self::MARGIN);
    }

    /** The client does not even connect. */
    public function isRefused(): bool
    {
        return $this->key !== null && $this->seconds === 0.0;
    }

    /** The url of the connection has precedence over the array. */
    public function isInUrl(): bool
    {
        return $this->key !== null && str_ends_with($this->key, '.url');
    }

    public function text(): string
    {
        return $this->seconds === null ? 'forever' : "{$this->seconds} s";
    }
}
