<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Generator;
use Headroom\Core\SystemClock;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Fault\Support\Spawner;
use Headroom\Tests\Fault\Support\Torture;
use PHPUnit\Framework\Attributes\Test;
use Random\Randomizer;
use SplFileObject;

/**
 * Writers and flushers that are killed at any moment and start over each other. The oracle is a file per writer,
 * outside the buffer, that gets each id once its append has returned.
 *
 * HEADROOM_SEED repeats the order of kills (not their moments), HEADROOM_TORTURE_SECONDS makes it longer.
 */
final class RandomKillTest extends FaultTestCase
{
    private const WRITERS = 8;

    private const FLUSHERS = 3;

    /** One kill in so many hits a flusher. */
    private const FLUSHER_SHARE = 3;

    /** A torture run continues until it has reached these counts, for at most three times its seconds. */
    private const ENOUGH = ['acknowledged' => 1_000_000, 'writer' => 1_000, 'flusher' => 500];

    private Torture $torture;

    private Spawner $spawner;

    /** @var array<string, array<int, int>> pids by role and number */
    private array $running = ['writer' => [], 'flusher' => []];

    private int $started = 0;

    protected function setUp(): void
    {
        $this->torture = Torture::fromEnvironment();
        parent::setUp();
        $this->useDatabase($this->torture->database);
        // So small that slots are often full, and segments many.
        $this->world = $this->world->withSegmentBytes(131_072)->withBatch(500);
        $this->spawner = Spawner::start();
    }

    protected function tearDown(): void
    {
        if (isset($this->spawner)) {
            $this->spawner->stop();
        }

        parent::tearDown();
    }

    #[Test]
    public function acknowledged_events_arrive_once_at_random_kills(): void
    {
        ini_set('memory_limit', '4G');
        $seconds = Torture::seconds(6);
        $this->torture->say("random kills on {$this->torture->database->value} for {$seconds} s");
        $kills = $this->killFor($seconds, $this->torture->randomizer());

        $this->world->append(['a fresh one']);
        $report = $this->world->flush();
        // Some two million in a minute: each later fork copies the memory map that a process has grown to.
        [$delivered, $rows] = [[], 0];

        foreach ($this->world->eachRow() as $id) {
            $delivered[$id] = true;
            $rows++;
        }

        [$lost, $acknowledged] = [[], 0];

        foreach ($this->acknowledged() as $id) {
            $acknowledged++;

            if (! isset($delivered[$id])) {
                $lost[] = $id;
            }
        }

        $this->torture->count([
            'acknowledged' => $acknowledged,
            'writer_kills' => $kills['writer'],
            'flusher_kills' => $kills['flusher'],
            'lost' => count($lost),
            'double' => $rows - count($delivered),
        ]);

        self::assertSame([], $lost, "Seed {$this->torture->seed}: something acknowledged was lost.");
        self::assertCount($rows, $delivered, "Seed {$this->torture->seed}: something arrived twice.");
        self::assertNull($report->failure, $report->failure?->getMessage() ?? '');
        self::assertSame(
            [],
            array_filter($report->losses, static fn ($loss): bool => $loss->isAlarming),
            "Seed {$this->torture->seed}.",
        );
        self::assertFileDoesNotExist(
            "{$this->world->directory}/failures",
            "Seed {$this->torture->seed}: a kill may delay a flush, never make it fail.",
        );
        self::assertArrayHasKey('a fresh one', $delivered);
        $this->assertAccounts(accepted: $rows, delivered: $rows, pending: 0);
        self::assertGreaterThan(0, min($kills));
        $this->torture->say(sprintf(
            'random kills: %d acknowledged, %d delivered, %d writers and %d flushers killed',
            $acknowledged,
            $rows,
            $kills['writer'],
            $kills['flusher'],
        ));
    }

    /** @return array{writer: int, flusher: int} kills */
    private function killFor(int $seconds, Randomizer $random): array
    {
        $clock = new SystemClock;
        $begun = $clock->monotonicNanos();
        $kills = ['writer' => 0, 'flusher' => 0];

        foreach (['writer' => self::WRITERS, 'flusher' => self::FLUSHERS] as $role => $count) {
            for ($n = 0; $n < $count; $n++) {
                $this->startOne($role, $n);
            }
        }

        for ($until = $seconds; $clock->monotonicNanos() - $begun < $until * 1_000_000_000
            || $this->continues($kills, $seconds, $until);) {
            $clock->sleep($random->getInt(2_000, 40_000));
            $role = $random->getInt(1, self::FLUSHER_SHARE) === 1 ? 'flusher' : 'writer';
            $n = $random->getInt(0, count($this->running[$role]) - 1);
            $ending = $this->spawner->kill($this->running[$role][$n]);
            self::assertTrue($ending->wasKilled(), "A {$role} ended by itself. {$ending->inWords()}");
            $kills[$role]++;
            $this->startOne($role, $n);
        }

        foreach ([...$this->running['writer'], ...$this->running['flusher']] as $pid) {
            $this->spawner->kill($pid);
        }

        return $kills;
    }

    /**
     * @param array{writer: int, flusher: int} $kills
     * @param int $until seconds; moved when there is not enough yet
     */
    private function continues(array $kills, int $seconds, int &$until): bool
    {
        $seen = [...$kills, 'acknowledged' => iterator_count($this->acknowledged())];
        $needed = $this->torture->isOn ? self::ENOUGH : ['writer' => 1, 'flusher' => 1];
        $lacks = array_filter(
            $needed,
            static fn (int $enough, string $what): bool => $seen[$what] < $enough,
            ARRAY_FILTER_USE_BOTH,
        );

        if ($lacks === [] || $until >= 3 * $seconds) {
            return false;
        }

        $until += 10;

        return true;
    }

    private function startOne(string $role, int $n): void
    {
        $this->started++;
        $this->running[$role][$n] = $role === 'writer'
            ? $this->spawner->fork($this->world, 'write', "w{$this->started}")
            : $this->spawner->fork($this->world, 'flush');
    }

    /** @return Generator<string> an id whose line was cut by a kill was not acknowledged to anybody */
    private function acknowledged(): Generator
    {
        foreach ($this->names($this->world->directory) as $name) {
            if (! str_ends_with($name, '.ack')) {
                continue;
            }

            foreach (new SplFileObject("{$this->world->directory}/{$name}") as $line) {
                if (is_string($line) && str_ends_with($line, "\n")) {
                    yield substr($line, 0, -1);
                }
            }
        }
    }
}
