<?php

declare(strict_types=1);

namespace Headroom\Laravel\Facades;

use Closure;
use Headroom\Laravel\Database\AfterCommit;
use Headroom\Spool\Buffer as SpoolBuffer;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Testing\BufferFake;
use Illuminate\Container\Container;
use LogicException;

/**
 * Replaces the buffer of the application by a BufferFake, until the application, and so the test, ends.
 *
 * @internal
 */
final readonly class BufferFakes
{
    /** @param array<array-key, string> $buckets an empty list means all */
    public static function only(array $buckets): BufferFake
    {
        $names = array_map(BufferFake::name(...), $buckets);

        // A test that calls it again, to request a failure for example, keeps the recorded events.
        return $names === [] && Container::getInstance()->bound(BufferFake::class)
            ? self::current()
            : self::begin(static fn (string $bucket): bool => $names === [] || in_array($bucket, $names, true));
    }

    /** @param array<array-key, string> $buckets */
    public static function allBut(array $buckets): BufferFake
    {
        $names = array_map(BufferFake::name(...), $buckets);

        return self::begin(static fn (string $bucket): bool => ! in_array($bucket, $names, true));
    }

    public static function current(): BufferFake
    {
        $app = Container::getInstance();

        return $app->bound(BufferFake::class)
            ? $app->make(BufferFake::class)
            : throw new LogicException('The buffer is not faked. Call Buffer::fake() before the code under test.');
    }

    /** @param Closure(string): bool $isFaked gets the name of a bucket */
    private static function begin(Closure $isFaked): BufferFake
    {
        $app = Container::getInstance();
        $spool = $app->make(SpoolServices::class);
        $real = $app->bound(BufferFake::class) ? self::current()->real : $app->make(SpoolBuffer::class);
        $fake = new BufferFake(
            $spool->settings(),
            $spool->writerFactory()->overflowHandlers((new AfterCommit)->add(...)),
            $real,
            $isFaked,
        );
        $app->instance(BufferFake::class, $fake);
        Buffer::swap($fake->buffer());

        return $fake;
    }
}
