<?php

declare(strict_types=1);

namespace Headroom\Laravel\Facades;

use Closure;
use Headroom\Laravel\Sinks\SinkDrivers;
use Headroom\Sink\Sink;
use Headroom\Spool\Bucket;
use Headroom\Spool\Buffer as SpoolBuffer;
use Headroom\Testing\BufferFake;
use Illuminate\Container\Container;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Support\Facades\Facade;

/**
 * Puts events into the buffer.
 *
 * @method static void buffer(array<array-key, mixed> $event, ?string $bucket = null)
 * @method static Bucket bucket(string $name)
 * @method static \Headroom\Spool\Buffer direct()
 * @method static \Headroom\Spool\Buffer afterCommit(?string $connection = null)
 * @method static mixed hold(callable $work)
 *
 * @see \Headroom\Spool\Buffer
 */
final class Buffer extends Facade
{
    /**
     * Adds a driver that buckets and spool.sinks may name.
     *
     * @param Closure(array<string, mixed>, string, Application): Sink $factory gets the settings, the bucket and the
     *                                                                          application
     */
    public static function extend(string $driver, Closure $factory): void
    {
        SinkDrivers::of(Container::getInstance())->extend($driver, $factory);
    }

    /**
     * Records events instead of writing them to disk until the test ends. Without names it returns the existing fake,
     * if there is one.
     *
     * @param string|list<string> $buckets fakes only these, by name or model; an empty list fakes all
     */
    public static function fake(string|array $buckets = []): BufferFake
    {
        return BufferFakes::only((array) $buckets);
    }

    /** @param string|list<string> $buckets fakes all others */
    public static function fakeExcept(string|array $buckets): BufferFake
    {
        return BufferFakes::allBut((array) $buckets);
    }

    /** @param (callable(array<string, mixed>, string): bool)|int|null $filter gets the row and the bucket */
    public static function assertBuffered(string $bucket, callable|int|null $filter = null): void
    {
        BufferFakes::current()->assertBuffered($bucket, $filter);
    }

    public static function assertBufferedTimes(string $bucket, int $times = 1): void
    {
        BufferFakes::current()->assertBufferedTimes($bucket, $times);
    }

    /** @param (callable(array<string, mixed>, string): bool)|null $filter */
    public static function assertNotBuffered(string $bucket, ?callable $filter = null): void
    {
        BufferFakes::current()->assertNotBuffered($bucket, $filter);
    }

    public static function assertNothingBuffered(): void
    {
        BufferFakes::current()->assertNothingBuffered();
    }

    public static function assertFlushed(?string $bucket = null, ?int $events = null): void
    {
        BufferFakes::current()->assertFlushed($bucket, $events);
    }

    protected static function getFacadeAccessor(): string
    {
        return SpoolBuffer::class;
    }
}
