<?php

declare(strict_types=1);

namespace Headroom\Laravel\Testing;

use Closure;
use Headroom\Laravel\Database\AfterCommit;
use Headroom\Laravel\Facades\Buffer as Facade;
use Headroom\Spool\Buffer;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Testing\BufferFake;
use Illuminate\Container\Container;
use LogicException;

/**
 * Puts a BufferFake where the application has its buffer. It ends with the application, that is, with the test.
 *
 * @internal
 */
final readonly class BufferFakes
{
    /** @param array<array-key, string> $buckets none is all */
    public static function only(array $buckets): BufferFake
    {
        $names = array_map(BufferFake::name(...), $buckets);

        // A test that has one and asks for a fault keeps what it has seen.
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
            : throw new LogicException('There is no fake to ask: call Buffer::fake() before what the test is about.');
    }

    /** @param Closure(string): bool $isFaked by a bucket's name */
    private static function begin(Closure $isFaked): BufferFake
    {
        $app = Container::getInstance();
        $runtime = $app->make(SpoolServices::class);
        $real = $app->bound(BufferFake::class) ? self::current()->real : $app->make(Buffer::class);
        $fake = new BufferFake($runtime->settings(), $runtime->writePath()->detours((new AfterCommit)->add(...)), $real, $isFaked);
        $app->instance(BufferFake::class, $fake);
        Facade::swap($fake->buffer());

        return $fake;
    }
}
