<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Core\Position;
use Headroom\Spool\Monitoring\Verify\Findings;
use Headroom\Spool\Store\CorruptDeadLetter;
use Headroom\Spool\Store\DeadLetter;
use Headroom\Tests\Fault\Support\RedisTestCase;
use PHPUnit\Framework\Attributes\Test;

/**
 * Dead letters on the disk of a machine whose bucket is in Redis.
 */
final class RedisDiskDeadLettersTest extends RedisTestCase
{
    #[Test]
    public function dead_letters_from_before_it_was_in_redis_are_seen_and_retried(): void
    {
        $onDisk = $this->world->withoutRedis();
        $onDisk->append(['bad 1', 'good', 'bad 2'], 'picky');
        $onDisk->flush('picky');
        self::assertSame(2, $onDisk->status('picky')->storage->letters);
        $this->flush('picky');
        $status = $this->world->status('picky');
        self::assertSame(
            [2, 2, 2, 0, 0],
            [
                $status->events->accepted,
                $status->events->dead,
                $status->storage->letters,
                $status->events->pending,
                $status->events->missing,
            ],
        );
        $findings = new Findings(static function (): void {}, static function (): void {});
        $verified = $this->world->runtime()
            ->bucketTools('picky')
            ->verifier()
            ->verify('picky', $this->world->runtime()->bucketTools('picky')->ledger(), $findings);
        self::assertSame(
            [2, 2, 2, 0, 0],
            [$verified->accepted, $verified->dead, $verified->deadLetters, $verified->missing, $findings->wrong],
        );

        $letters = iterator_to_array($this->world->letters('picky')->letters(), false);
        self::assertCount(2, $letters);
        self::assertSame(1, $this->world->letters('picky')->forget([$letters[0]->position]));
        self::assertSame(1, $this->world->letters('picky')->retry([$letters[1]->position]));
        self::assertSame(1, $this->world->status('picky')->events->pending);
        $this->flush('picky');
        $letters = iterator_to_array($this->world->letters('picky')->letters(), false);
        self::assertCount(1, $letters, 'It was refused again, in Redis now.');
        self::assertSame(1, $this->world->letters('picky')->forget([$letters[0]->position]));
        self::assertSame(
            [2, 0],
            [$this->world->status('picky')->events->dead, $this->world->status('picky')->storage->letters],
        );
    }

    #[Test]
    public function letters_are_retried_while_this_disk_has_to_wait(): void
    {
        $this->world->append(['bad'], 'picky');
        $this->flush('picky');
        $this->redis->ask('CONFIG', 'SET', 'maxmemory', '1');
        $this->world->append(['on disk'], 'picky');
        $letters = iterator_to_array($this->world->letters('picky')->letters(), false);

        self::assertSame(
            1,
            $this->world->letters('picky')->retry(array_map(
                static fn (DeadLetter|CorruptDeadLetter $letter): Position => $letter->position,
                $letters,
            )),
        );
        self::assertSame(
            [2, 0],
            [$this->world->status('picky')->events->pending, $this->world->status('picky')->storage->letters],
        );
    }
}
