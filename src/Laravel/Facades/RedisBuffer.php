<?php

declare(strict_types=1);

namespace Headroom\Laravel\Facades;

use Headroom\Spool\Bucket;
use Headroom\Spool\Compat\RedisBuffer as SpoolRedisBuffer;
use Illuminate\Support\Facades\Facade;

/**
 * The buffer in Redis with a callback in place of a sink.
 *
 * @method static void buffer(array<array-key, mixed> $event, ?string $bucket = null)
 * @method static Bucket bucket(string $name)
 * @method static bool flush(callable $callback, ?string $bucket = null)
 * @method static void listenRedis(callable $callback, ?string $bucket = null, ?int $seconds = null)
 * @method static int clean(int|\DateInterval|\DateTimeInterface|null $olderThan = null, ?string $bucket = null)
 *
 * @see \Headroom\Spool\Compat\RedisBuffer
 */
final class RedisBuffer extends Facade
{
    protected static function getFacadeAccessor(): string
    {
        return SpoolRedisBuffer::class;
    }
}
