<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\Redis\Keys;
use Headroom\Tests\Fault\Support\RedisTestCase;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;

/**
 * Redis was killed, and began again from an older dump. The database and the disk of this machine went on.
 */
final class RedisSetBackTest extends RedisTestCase
{
    /** @return array<string, array{string}> what comes between the dump and the flush */
    public static function ways(): array
    {
        return ['events on disk meanwhile' => ['disk'], 'nothing new' => [''], 'a new event first' => ['stream']];
    }

    #[Test]
    #[DataProvider('ways')]
    public function what_is_gone_is_told_and_counted_however_often_it_happens(string $way): void
    {
        $known = [];
        $lost = 0;
        $this->world->append($known[] = ['first']);
        $this->redis->ask('HINCRBY', (new Keys('events'))->meta, 'tokens_since', -600_000);

        for ($round = 1; $round <= 3; $round++) {
            $this->world->append($known[] = ["{$round}.a", "{$round}.b"]);
            $this->flush();
            $this->redis->ask('SAVE');
            copy($this->redis->file('dump.rdb'), $this->redis->file('older'));
            $this->world->append($known[] = ["{$round}.c", "{$round}.d"]);
            $this->redis->ask('CONFIG', 'SET', 'maxmemory', '1');
            $this->world->append($known[] = ["{$round}.e"]);
            $this->redis->ask('CONFIG', 'SET', 'maxmemory', '0');
            $this->flush();
            $this->world->append(["{$round}.lost 1", "{$round}.lost 2"]);
            $this->redis->kill();
            $lost += 2;

            if ($way === 'disk') {
                $this->world->append($known[] = ["{$round}.x", "{$round}.y"]);
            }

            copy($this->redis->file('older'), $this->redis->file('dump.rdb'));
            $this->redis->restart();
            @unlink("{$this->world->directory}/buffer/redis-down");

            if ($way === 'stream') {
                $this->world->append($known[] = ["{$round}.new"]);
            }

            $before = $this->world->status();
            self::assertTrue($before->isForked);
            self::assertNotNull($before->setBack);
            $report = $this->flush();
            self::assertCount(1, array_filter($report->losses, static fn ($loss): bool => $loss->alarming));
            $ids = array_merge(...$known);
            $rows = $this->world->rows();
            sort($ids);
            sort($rows);
            self::assertSame($ids, $rows);
            $status = $this->world->status();
            self::assertSame([count($ids) + $lost, count($ids), 0, 0, $lost], [$status->accepted, $status->delivered, $status->dead, $status->pending, $status->missing]);
            self::assertSame([false, null], [$status->isForked, $status->setBack]);
            self::assertSame([], $this->flush()->losses);
        }
    }
}
