<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Core\SystemClock;
use Headroom\Tests\Fault\Support\Child;
use Headroom\Tests\Fault\Support\FaultTestCase;
use PHPUnit\Framework\Attributes\Test;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * Writers and flushers that are killed at any moment and start over each other. The oracle is a file per writer, outside
 * the buffer, that gets each id once its append has returned.
 *
 * HEADROOM_SEED repeats the order of kills (not their moments), HEADROOM_TORTURE_SECONDS makes it longer.
 */
final class RandomKillTest extends FaultTestCase
{
    private const WRITERS = 6;

    private const FLUSHERS = 2;

    /** @var array<string, Child> by role and number */
    private array $running = [];

    private int $started = 0;

    #[Test]
    public function what_was_acknowledged_arrives_once_whoever_is_killed_whenever(): void
    {
        $seed = (int) (getenv('HEADROOM_SEED') === false ? random_int(1, 999_999_999) : getenv('HEADROOM_SEED'));
        $seconds = max(1, (int) (getenv('HEADROOM_TORTURE_SECONDS') === false ? 20 : getenv('HEADROOM_TORTURE_SECONDS')));
        // So small that slots are often full, and segments many.
        $this->world = $this->world->withSegmentBytes(131_072)->withBatch(500);
        $kills = $this->killFor($seconds, new Randomizer(new Mt19937($seed)));

        self::assertGreaterThan(0, $kills['writer']);
        self::assertGreaterThan(0, $kills['flusher']);
        $this->world->append(['a fresh one']);
        $damaged = array_filter($this->flush()->losses, static fn ($loss): bool => $loss->alarming);
        self::assertSame([], $damaged, "Seed {$seed}.");

        self::assertFileDoesNotExist("{$this->world->directory}/failures", "Seed {$seed}: a kill may delay a flush, never make it fail.");
        $rows = $this->world->rows();
        $delivered = array_flip($rows);
        self::assertCount(count($rows), $delivered, "Seed {$seed}: something arrived twice.");
        $acknowledged = $this->acknowledged();
        self::assertSame([], array_values(array_filter($acknowledged, static fn (string $id): bool => ! isset($delivered[$id]))), "Seed {$seed}: something acknowledged was lost.");
        self::assertArrayHasKey('a fresh one', $delivered);
        $this->assertAccounts(accepted: count($rows), delivered: count($rows), pending: 0);
        fprintf(STDERR, "\n    random kills: seed %d, %d s, %d acknowledged, %d delivered, %d writers and %d flushers killed\n", $seed, $seconds, count($acknowledged), count($rows), $kills['writer'], $kills['flusher']);
    }

    /** @return array{writer: int, flusher: int} kills */
    private function killFor(int $seconds, Randomizer $random): array
    {
        $clock = new SystemClock;
        $end = $clock->monotonicNanos() + $seconds * 1_000_000_000;
        $kills = ['writer' => 0, 'flusher' => 0];

        foreach (range(1, self::WRITERS) as $n) {
            $this->start("writer {$n}");
        }

        foreach (range(1, self::FLUSHERS) as $n) {
            $this->start("flusher {$n}");
        }

        while ($clock->monotonicNanos() < $end) {
            $clock->sleep($random->getInt(5_000, 60_000));
            $role = array_keys($this->running)[$random->getInt(0, count($this->running) - 1)];
            self::assertTrue($this->running[$role]->isRunning(), "The {$role} ended by itself.");
            $this->running[$role]->kill();
            $kills[str_starts_with($role, 'writer') ? 'writer' : 'flusher']++;
            $this->start($role);
        }

        foreach ($this->running as $child) {
            $child->kill();
        }

        return $kills;
    }

    private function start(string $role): void
    {
        $this->started++;
        $this->running[$role] = str_starts_with($role, 'writer')
            ? Child::start($this->world, 'write until killed', ["w{$this->started}"])
            : Child::start($this->world, 'flush until killed');
    }

    /** @return list<string> an id whose line was cut by a kill was not acknowledged to anybody */
    private function acknowledged(): array
    {
        $ids = [];

        foreach ($this->names($this->world->directory) as $name) {
            if (! str_ends_with($name, '.ack')) {
                continue;
            }

            $lines = explode("\n", (string) file_get_contents("{$this->world->directory}/{$name}"));
            array_pop($lines);
            array_push($ids, ...$lines);
        }

        return $ids;
    }

    protected function tearDown(): void
    {
        foreach ($this->running as $child) {
            $child->kill();
        }

        parent::tearDown();
    }
}
