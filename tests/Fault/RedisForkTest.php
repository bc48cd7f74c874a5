<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use DateTimeImmutable;
use Headroom\Console\Spool\FlushCommand;
use Headroom\Console\Spool\HealthCommand;
use Headroom\Console\Spool\NewIdCommand;
use Headroom\Console\Spool\StatusCommand;
use Headroom\Console\Spool\VerifyCommand;
use Headroom\Core\Position;
use Headroom\Spool\RedisStore\Stream\Keys;
use Headroom\Spool\UnableToFlush;
use Headroom\Tests\Fault\Support\RedisTestCase;
use Headroom\Tests\Fault\Support\World;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;
use Symfony\Component\Console\Tester\CommandTester;
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
            self::assertSame(1, $this->world->status()->storage->onDisk);
        }
    }

    /** @return array<string, array{bool}> */
    public static function answers(): array
    {
        return ['the other copy delivers what both have' => [true], 'no other copy delivers it' => [false]];
    }

    #[Test]
    #[DataProvider('answers')]
    public function a_copied_disk_is_told_by_every_command_until_it_has_another_id(bool $isLeft): void
    {
        $this->divert(['a']);
        $this->flush();
        $this->redis->ask('HINCRBY', (new Keys('events'))->meta, 'tokens_since', -600_000);
        $this->divert($isLeft ? ['both 1', 'both 2'] : []);
        $buffer = "{$this->world->directory}/buffer";
        (new Process(['cp', '-a', $buffer, "{$buffer}.copy"]))->mustRun();
        $copiedAt = (new DateTimeImmutable)->format('Y-m-d\TH:i:s.uP');
        usleep(2_000);
        $this->divert(['of the first']);
        $this->flush();
        $copy = $this->world->withRoot('buffer.copy');
        $this->redis->ask('CONFIG', 'SET', 'maxmemory', '1');
        $copy->append(['of the copy 1', 'of the copy 2']);
        $this->redis->ask('CONFIG', 'SET', 'maxmemory', '0');
        $waiting = $isLeft ? 4 : 2;

        for ($try = 0; $try < 2; $try++) {
            foreach ([
                StatusCommand::class,
                VerifyCommand::class,
                HealthCommand::class,
                NewIdCommand::class,
                FlushCommand::class,
            ] as $command) {
                self::assertSame(1, $this->command($copy, $command)->getStatusCode(), $command);
            }
        }

        self::assertStringContainsString(
            "events: forked; {$waiting} events waiting,",
            $this->command($copy, NewIdCommand::class)->getDisplay(),
        );
        self::assertSame(
            [$waiting, true, true],
            [$copy->status()->storage->onDisk, $copy->status()->isForked, $copy->status()->isDiskForked],
        );
        self::assertSame(
            0,
            $this->command($copy, NewIdCommand::class, $isLeft ? ['--copied-at' => $copiedAt] : ['--all' => true])
                ->getStatusCode(),
        );
        self::assertSame(0, $this->command($copy, FlushCommand::class)->getStatusCode());
        $ids = ['a', 'of the first', 'of the copy 1', 'of the copy 2', ...($isLeft ? ['both 1', 'both 2'] : [])];
        $rows = $this->world->rows();
        sort($ids);
        sort($rows);
        self::assertSame($ids, $rows);

        foreach ([StatusCommand::class, VerifyCommand::class] as $command) {
            self::assertSame(0, $this->command($copy, $command)->getStatusCode(), $command);
            self::assertSame(0, $this->command($this->world, $command)->getStatusCode(), $command);
        }

        self::assertSame(
            [0, 0, false, false],
            [
                $copy->status()->storage->onDisk,
                $copy->status()->events->missing,
                $copy->status()->isForked,
                $copy->status()->isDiskForked,
            ],
        );
    }

    /**
     * @param class-string<StatusCommand|VerifyCommand|HealthCommand|NewIdCommand|FlushCommand> $command
     * @param array<string, mixed> $input
     */
    private function command(World $world, string $command, array $input = []): CommandTester
    {
        $tester = new CommandTester(new $command($world->runtime()));
        $tester->execute($input);

        return $tester;
    }

    /**
     * A stream of before, to which a server whose clock is behind gives the ids that the
     * database has from the other one.
     */
    #[Test]
    #[TestDox('Redis restored from an older dump')]
    public function an_event_before_the_ledgers_place_is_not_taken_for_delivered(): void
    {
        $this->world->append(['a']);
        $this->flush();
        $keys = $this->redis->ask('KEYS', '*');
        self::assertIsArray($keys);
        $dump = [];

        foreach ($keys as $key) {
            self::assertIsString($key);
            $dump[$key] = $this->redis->ask('DUMP', $key);
        }

        $this->world->append(['b']);
        $this->flush();
        $place = $this->world->database()->table('spool_ledger')->value('position');
        self::assertIsString($place);
        $this->redis->ask('FLUSHALL');

        foreach ($dump as $key => $value) {
            self::assertIsString($value);
            $this->redis->ask('RESTORE', $key, '0', $value);
        }

        $this->appendAt(Position::fromString($place)->segment - 1, 'c');

        for ($try = 0; $try < 2; $try++) {
            self::assertInstanceOf(UnableToFlush::class, $this->world->flush()->failure);
            self::assertSame(['a', 'b'], $this->world->rows());
            self::assertSame([1, true], [$this->world->status()->events->pending, $this->world->status()->isForked]);
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
