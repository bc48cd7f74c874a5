<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\History;

use Headroom\Laravel\Http\Dashboard\History\HistorySeries;
use Headroom\Spool\History\HistoryFile;
use Headroom\Spool\History\HistoryMinute;
use Headroom\Spool\History\HistoryRecorder;
use Headroom\Tests\Fault\Support\SetClock;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * A history whose clock jumps, whose writers die, whose disk is restored, and whose bytes change.
 */
final class HistoryPropertyTest extends HistoryTestCase
{
    private const STEPS = 300;

    /** Hours, days and years, and small corrections. */
    private const JUMPS = [3_600, -3_600, 86_400, -86_400, 31_536_000, -31_536_000, 59, -61, 600, -7_200];

    /** More than all events of a case. */
    private const MOST = self::STEPS * 50;

    private Randomizer $random;

    private SetClock $clock;

    private int $accepted = 0;

    private int $delivered = 0;

    #[Test]
    #[TestWith([34])]
    #[TestWith([35])]
    #[TestWith([36])]
    public function jumps_of_the_clock_and_damage_make_no_figure_impossible(int $seed): void
    {
        $this->random = new Randomizer(new Mt19937($seed));
        $this->clock = new SetClock(self::MINUTE * 60_000_000);
        $recorder = $this->recorder();

        for ($step = 0; $step < self::STEPS; $step++) {
            match ($this->random->getInt(0, 9)) {
                0 => $this->clock->micros += self::JUMPS[$this->random->getInt(0, count(self::JUMPS) - 1)] * 1_000_000,
                1 => $this->accepted = $this->delivered = intdiv($this->delivered, 2),
                2 => $this->damage(),
                default => $this->flush($recorder),
            };
            $recorder = $step % 5 === 0 ? $this->recorder() : $recorder;
            $this->assertPossible();
        }
    }

    private function recorder(): HistoryRecorder
    {
        return new HistoryRecorder(
            fn (): HistoryFile => $this->history,
            fn (string $bucket, int $minute): HistoryMinute => new HistoryMinute(
                $minute,
                $this->accepted,
                $this->delivered,
                0,
                0,
                $this->accepted - $this->delivered,
            ),
            $this->clock,
        );
    }

    private function flush(HistoryRecorder $recorder): void
    {
        $this->accepted += $this->random->getInt(0, 50);
        $events = $this->random->getInt(0, $this->accepted - $this->delivered);
        $this->delivered += $events;
        $events === 0 ? null : $recorder->batch('events', $events, $this->random->getInt(1, 1_000_000_000));
        $recorder->flushed('events', $events, $events % 7 === 3 ? $this->random->getBytes(40) : null);
        $this->clock->sleep($this->random->getInt(0, 40_000_000));
    }

    private function damage(): void
    {
        $bytes = is_file($this->history->path) ? $this->content() : '';

        for ($flips = $bytes === '' ? 0 : $this->random->getInt(1, 30); $flips > 0; $flips--) {
            $place = $this->random->getInt(0, strlen($bytes) - 1);
            $bytes[$place] = chr(ord($bytes[$place]) ^ 1 << $this->random->getInt(0, 7));
        }

        $this->put($this->random->getInt(0, 9) === 0 ? str_repeat("\xFF", HistoryFile::BYTES) : $bytes);
    }

    private function assertPossible(): void
    {
        $to = intdiv($this->clock->micros(), 60_000_000) + 1;
        $seen = $this->history->minutes($to - 90, $to - 1);

        foreach ([true, false] as $isAlone) {
            $figures = HistorySeries::of($seen, $to - 60, $to, $isAlone)->toArray(1);

            foreach (['accepted', 'delivered', 'pending', 'flushes', 'batches', 'slowest_ms'] as $name) {
                $known = [0, ...array_filter($figures[$name], is_numeric(...))];
                self::assertSame([0, true], [(int) min($known), max($known) <= self::MOST], $name);
            }
        }

        json_encode($this->history->failures(), JSON_THROW_ON_ERROR);
    }
}
