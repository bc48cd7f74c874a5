<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Console\Spool\FlushCommand;
use Headroom\Console\Spool\HealthCommand;
use Headroom\Console\Spool\StatusCommand;
use Headroom\Console\Spool\VerifyCommand;
use Headroom\Core\Position;
use Headroom\Spool\RedisStore\Stream\Keys;
use Headroom\Spool\Store\CorruptDeadLetter;
use Headroom\Spool\Store\DeadLetter;
use Headroom\Spool\Store\MissingRange;
use Headroom\Tests\Fault\Support\RedisTestCase;
use Headroom\Tests\Fault\Support\Torture;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;
use Symfony\Component\Console\Tester\CommandTester;

/**
 * Redis was killed, and began again from an older dump. The database and the disk of this machine went on.
 */
final class RedisSetBackTest extends RedisTestCase
{
    private int $dumps = 0;

    /** @return array<string, array{string}> what comes between the dump and the flush */
    public static function ways(): array
    {
        return ['events on disk meanwhile' => ['disk'], 'nothing new' => [''], 'a new event first' => ['stream']];
    }

    #[Test]
    #[TestDox('Redis restored from an older dump')]
    #[DataProvider('ways')]
    public function each_loss_is_reported_and_counted(string $way): void
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
            self::assertCount(1, array_filter($report->losses, static fn ($loss): bool => $loss->isAlarming));
            $ids = array_merge(...$known);
            $rows = $this->world->rows();
            sort($ids);
            sort($rows);
            self::assertSame($ids, $rows);
            $status = $this->world->status();
            self::assertSame(
                [count($ids) + $lost, count($ids), 0, 0, $lost],
                [
                    $status->events->accepted,
                    $status->events->delivered,
                    $status->events->dead,
                    $status->events->pending,
                    $status->events->missing,
                ],
            );
            self::assertSame([false, null], [$status->isForked, $status->setBack]);
            self::assertSame([], $this->flush()->losses);
        }
    }

    #[Test]
    public function every_command_ends_with_1_before_the_flush_which_tells_what_is_gone(): void
    {
        $this->world->append(['a']);
        $this->flush();
        $this->redis->ask('SAVE');
        $this->world->append(['b']);
        $this->flush();
        $this->world->append(['lost']);
        $this->redis->restart();

        foreach ([StatusCommand::class, VerifyCommand::class, HealthCommand::class] as $command) {
            self::assertSame(1, $this->command($command)->getStatusCode(), $command);
        }

        $status = $this->world->status();
        self::assertSame(
            [3, 2, 0, 1],
            [$status->events->accepted, $status->events->delivered, $status->events->pending, $status->events->missing],
        );
        $flush = $this->command(FlushCommand::class);
        self::assertSame(0, $flush->getStatusCode());
        self::assertStringContainsString('at least 1 event', $flush->getErrorOutput());
        self::assertStringContainsString('spool:verify events', $flush->getErrorOutput());
        self::assertStringContainsString('at least 1 event', implode("\n", $this->world->logged()));
        // It is told, and stays missing.
        self::assertSame(
            [1, 1],
            [
                $this->command(StatusCommand::class)->getStatusCode(),
                $this->command(VerifyCommand::class)->getStatusCode(),
            ],
        );
        self::assertSame(['a', 'b'], $this->world->rows());
    }

    #[Test]
    public function a_sink_without_a_ledger_gets_the_dumps_events_again_and_each_counts_once(): void
    {
        $this->world->append(['a', 'b'], 'lines');
        $this->redis->ask('SAVE');
        $this->flush('lines');
        $this->world->append(['c', 'd'], 'lines');
        $this->flush('lines');
        $this->world->append(['lost'], 'lines');
        $this->redis->restart();
        self::assertNotNull($this->world->status('lines')->setBack);
        $this->assertAccounts(accepted: 5, delivered: 2, pending: 2, missing: 1, bucket: 'lines');

        self::assertCount(1, $this->flush('lines')->losses);
        self::assertSame(['a', 'b', 'c', 'd', 'a', 'b'], $this->world->lines());
        $this->assertAccounts(accepted: 5, delivered: 4, pending: 0, missing: 1, bucket: 'lines');
        self::assertSame([], $this->flush('lines')->losses);
    }

    #[Test]
    public function an_event_that_a_slow_clock_puts_before_the_ledgers_place_becomes_a_letter(): void
    {
        $this->world->append(['a']);
        $this->redis->ask('SAVE');
        $this->world->append(['b']);
        $this->flush();
        $place = $this->world->database()->table('spool_ledger')->value('position');
        self::assertIsString($place);
        $this->redis->restart();
        $this->appendAt(Position::fromString($place)->segment - 1, 'c');

        self::assertCount(1, $this->flush()->losses);
        self::assertSame(['a', 'b'], $this->world->rows());
        $letters = iterator_to_array($this->world->letters()->letters(), false);
        self::assertCount(1, $letters);
        self::assertSame(1, $this->world->letters()->retry([$letters[0]->position]));
        $this->flush();
        $this->assertDeliveredOnce(['a', 'b', 'c']);
    }

    /** @return array<string, array{bool}> */
    public static function histories(): array
    {
        return [
            'dumps of the past of what is there, with a flush after each' => [true],
            'any dump at any time' => [false],
        ];
    }

    #[Test]
    #[DataProvider('histories')]
    public function in_any_order_nothing_doubles_and_what_is_gone_counts(bool $isExact): void
    {
        $torture = Torture::fromEnvironment();
        $random = $torture->randomizer();
        $appended = ['first'];
        $steps = [];
        $this->world->append($appended);
        $this->redis->ask('HINCRBY', (new Keys('events'))->meta, 'tokens_since', -600_000);

        for ($step = 1; $step <= 60; $step++) {
            $steps[] = match ($random->getInt(1, 10)) {
                1, 2, 3 => $this->append($appended, $random->getInt(1, 3), "{$step}."),
                4 => $this->divert($appended, $random->getInt(1, 3), "{$step}."),
                5, 6, 7 => $this->flushed(),
                8 => $this->save(),
                9 => ($isExact ? $this->flushed().', ' : '')
                    .$this->setBack($random->getInt(max(0, $this->dumps - 2), $this->dumps), $isExact),
                default => $this->failedFlush(),
            };
            $rows = $this->world->rows();
            self::assertSame(
                [],
                array_diff_assoc($rows, array_unique($rows)),
                "Seed {$torture->seed}: ".implode(', ', $steps),
            );
        }

        $this->flushed();
        $this->assertCounted($appended, $isExact, "Seed {$torture->seed}: ".implode(', ', $steps));
    }

    /** @param list<string> $appended */
    private function assertCounted(array $appended, bool $isExact, string $message): void
    {
        $letters = array_map(
            static fn (DeadLetter|CorruptDeadLetter $letter): string => $letter instanceof DeadLetter
                    && preg_match('/"id":"([^"]+)"/', $letter->line, $m) === 1
                ? $m[1]
                : '?',
            iterator_to_array($this->world->letters()->letters(), false),
        );
        $rows = $this->world->rows();
        $lost = count(array_diff($appended, $rows, $letters));
        // Of a dump that was made before the ledger knew that Redis had been set back:
        // these are counted as what they may be, too.
        $both = count(array_intersect($letters, $rows));
        $status = $this->world->status();
        self::assertSame(
            [count($rows), count($letters), 0],
            [$status->events->delivered, $status->events->dead, $status->events->pending],
            $message,
        );
        self::assertSame(
            $status->events->accepted,
            $status->events->delivered + $status->events->dead + $status->events->missing,
            $message,
        );
        $isExact
            ? self::assertSame(
                [count($appended) + $both, $lost],
                [$status->events->accepted, $status->events->missing],
                $message,
            )
            : self::assertLessThanOrEqual($lost, $status->events->missing, $message);
    }

    /** @param list<string> $appended */
    private function append(array &$appended, int $count, string $prefix): string
    {
        $this->world->append($ids = self::ids($prefix, $count));
        array_push($appended, ...$ids);

        return "append {$count}";
    }

    /**
     * To the disk, since Redis does not take them.
     *
     * @param list<string> $appended
     */
    private function divert(array &$appended, int $count, string $prefix): string
    {
        $this->redis->ask('CONFIG', 'SET', 'maxmemory', '1');
        $this->append($appended, $count, $prefix);
        $this->redis->ask('CONFIG', 'SET', 'maxmemory', '0');

        return "divert {$count}";
    }

    private function flushed(): string
    {
        $before = $this->world->status();
        $report = $this->flush();
        self::assertSame(
            $before->setBack !== null,
            array_filter($report->losses, static fn (MissingRange $loss): bool => $loss->isAlarming) !== [],
            'What status sees the flush tells.',
        );
        self::assertNull($this->world->status()->setBack);

        return "flush {$report->delivered}";
    }

    private function failedFlush(): string
    {
        $this->world->database()->statement('alter table spool_ledger rename to away');
        $this->world->flush();
        $this->world->database()->statement('alter table away rename to spool_ledger');

        return 'failed flush';
    }

    private function save(): string
    {
        $number = ++$this->dumps;
        $this->redis->ask('SAVE');
        copy($this->redis->file('dump.rdb'), $this->redis->file("older-{$number}"));

        return "save {$number}";
    }

    private function setBack(int $number, bool $isExact): string
    {
        if ($number > 0) {
            $this->dumps = $isExact ? $number : $this->dumps;
            $this->redis->kill();
            copy($this->redis->file("older-{$number}"), $this->redis->file('dump.rdb'));
            $this->redis->restart();
        }

        return "set back to {$number}";
    }

    /** @param class-string<StatusCommand|VerifyCommand|HealthCommand|FlushCommand> $command */
    private function command(string $command): CommandTester
    {
        $tester = new CommandTester(new $command($this->world->runtime()));
        $tester->execute([], ['capture_stderr_separately' => true]);

        return $tester;
    }
}
