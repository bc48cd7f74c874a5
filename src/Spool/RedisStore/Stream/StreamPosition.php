<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Stream;

use Headroom\Core\Position;
use Headroom\Spool\RedisStore\Client\Client;
use Headroom\Spool\RedisStore\Client\RedisFailure;

/**
 * Checks whether an event of this stream ends at a position. Otherwise the position belongs to another stream.
 *
 * @internal
 */
final readonly class StreamPosition
{
    /** @throws RedisFailure */
    public static function exists(Client $client, Keys $keys, Position $position): bool
    {
        // The position is inside an entry, or after an entry of the same millisecond: a flush that ended after an entry
        // did not know the id of the next one.
        $id = StreamId::of($position);
        [$first, $last] = $position->index > 0 ? [$id, $id] : ["{$position->segment}-0", "({$id}"];
        $found = $position->index === 0 && $position->offset === 0
            ? []
            : $client->command($keys->log, ['XREVRANGE', $client->key($keys->log), $last, $first, 'COUNT', 1]);

        return is_array($found) && $found !== [];
    }
}
