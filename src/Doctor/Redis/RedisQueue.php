<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis;

use Headroom\Doctor\Application\Application;

/**
 * A queue connection in Redis, whether it is the default one or not.
 *
 * @internal
 */
final readonly class RedisQueue
{
    /** The value that the doctor advises. */
    public const BLOCK_FOR = 5;

    /** Seconds by which the reply timeout exceeds the blocking time. */
    public const LONGER = 5;

    /**
     * @param string $redis its connection of database.redis
     * @param mixed $blockFor from the configuration; null: its workers poll
     */
    private function __construct(public string $name, public string $redis, public mixed $blockFor) {}

    /** @return list<self> */
    public static function of(Application $app): array
    {
        $queues = [];

        foreach ($app->keys('queue.connections') as $name) {
            $key = "queue.connections.{$name}";

            if ($app->text("{$key}.driver") === 'redis') {
                $queues[] = new self(
                    $name,
                    $app->text("{$key}.connection", 'default'),
                    $app->value("{$key}.block_for"),
                );
            }
        }

        return $queues;
    }

    /** @return list<self> whose workers wait by this connection */
    public static function on(Application $app, string $redis): array
    {
        return array_values(array_filter(self::of($app), static fn (self $queue): bool => $queue->redis === $redis));
    }

    public function key(): string
    {
        return "queue.connections.{$this->name}.block_for";
    }

    /** Null if it does not block, or if it is not a number. */
    public function seconds(): ?float
    {
        return is_numeric($this->blockFor) ? (float) $this->blockFor : null;
    }

    /**
     * A reply timeout that fits all of these, once none of them blocks forever.
     *
     * @param list<self> $queues
     */
    public static function patience(array $queues): ?int
    {
        $longest = null;

        foreach ($queues as $queue) {
            $seconds = $queue->seconds();
            $longest = max($longest ?? 0.0, $seconds === null || $seconds <= 0.0 ? (float) self::BLOCK_FOR : $seconds);
        }

        return $longest === null ? null : (int) ceil($longest) + self::LONGER;
    }
}
