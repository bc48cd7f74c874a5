<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Spool\RedisStore\Stream\Keys;
use Headroom\Tests\Support\Redis\RedisServer;

/**
 * Another client's entries in the stream of the bucket events, and the ids that Redis counts on from.
 */
trait AddsForeignEntries
{
    private Keys $keys;

    protected function setUp(): void
    {
        parent::setUp();
        $this->keys = new Keys('events');
    }

    private function addForeign(string $id): void
    {
        self::assertSame($id, $this->redis->ask('XADD', $this->keys->log, $id, 'hello', 'world'));
    }

    /** Whether its entry is still there or not. */
    private function lastId(?RedisServer $server = null): string
    {
        $info = ($server ?? $this->redis)->ask('XINFO', 'STREAM', $this->keys->log);
        $id = is_array($info) ? $info[(int) array_search('last-generated-id', $info, true) + 1] : null;
        self::assertIsString($id);

        return $id;
    }

    private function assertIdsAreOfToday(int $entries): void
    {
        $there = $this->redis->ask('XRANGE', $this->keys->log, '-', '+');
        self::assertIsArray($there);
        self::assertCount($entries, $there);

        foreach (array_column($there, 0) as $id) {
            self::assertIsString($id);
            self::assertEqualsWithDelta(microtime(true) * 1000, (int) explode('-', $id)[0], 60_000);
        }
    }

    /** @param list<string> $ids */
    private function assertArrived(array $ids): void
    {
        $rows = $this->world->rows();
        sort($rows);
        sort($ids);
        self::assertSame($ids, $rows);
    }
}
