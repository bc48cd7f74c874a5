<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Stream;

use Headroom\Core\Position;
use Headroom\Spool\RedisStore\Client\Client;
use Headroom\Spool\RedisStore\Client\RedisFailure;

/**
 * Whether an event of the stream ends at a place, or whether that is the place of another stream.
 *
 * @internal
 */
final readonly class StreamPosition
{
    /** @throws RedisFailure */
    public static function isThere(Client $client, Keys $keys, Position $place): bool
    {
        // Within an entry, or behind one of the same millisecond: a flush that ended behind it did not
        // know what follows it there.
        $id = StreamId::of($place);
        [$first, $last] = $place->index > 0 ? [$id, $id] : ["{$place->segment}-0", "({$id}"];
        $found = $place->index === 0 && $place->offset === 0
            ? []
            : $client->command($keys->log, ['XREVRANGE', $client->key($keys->log), $last, $first, 'COUNT', 1]);

        return is_array($found) && $found !== [];
    }
}
