<?php

declare(strict_types=1);

namespace Headroom\Laravel\Facades;

use Headroom\Spool\Bucket;
use Illuminate\Support\Facades\Facade;

/**
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
    protected static function getFacadeAccessor(): string
    {
        return \Headroom\Spool\Buffer::class;
    }
}
