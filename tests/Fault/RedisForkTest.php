<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\UnableToFlush;
use Headroom\Tests\Fault\Support\RedisTestCase;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Process\Process;

/**
 * The disk of a machine whose buckets are in Redis was set back, while Redis and the database went on.
 */
final class RedisForkTest extends RedisTestCase
{
    #[Test]
    public function what_a_restored_disk_takes_is_not_taken_for_brought_back(): void
    {
        $this->divert(['a']);
        $this->flush();
        $buffer = "{$this->world->directory}/buffer";
        (new Process(['cp', '-a', $buffer, "{$buffer}.copy"]))->mustRun();
        $this->divert(['b']);
        $this->flush();
        (new Process(['rm', '-r', $buffer]))->mustRun();
        (new Process(['cp', '-a', "{$buffer}.copy", $buffer]))->mustRun();
        $this->divert(['c']);

        for ($try = 0; $try < 2; $try++) {
            self::assertInstanceOf(UnableToFlush::class, $this->world->flush()->failure);
            self::assertSame(['a', 'b'], $this->world->rows());
            self::assertSame(1, $this->world->status()->onDisk);
        }
    }

    /** @param list<string> $ids that Redis does not take, so that they go to this disk */
    private function divert(array $ids): void
    {
        $this->redis->ask('CONFIG', 'SET', 'maxmemory', '1');
        $this->world->append($ids);
        $this->redis->ask('CONFIG', 'SET', 'maxmemory', '0');
    }
}
