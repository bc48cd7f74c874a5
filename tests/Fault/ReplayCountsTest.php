<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Core\Position;
use Headroom\Spool\Recovery\ReplayFrom;
use Headroom\Tests\Fault\Support\Act;
use Headroom\Tests\Fault\Support\DeadLetterTestCase;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * The numbers that a replay shows before it moves the cursor, over events of which some are dead, retried or forgotten.
 */
final class ReplayCountsTest extends DeadLetterTestCase
{
    /** @return iterable<string, array{int}> */
    public static function seeds(): iterable
    {
        foreach (range(1, 8) as $seed) {
            yield "seed {$seed}" => [$seed];
        }
    }

    #[Test]
    #[DataProvider('seeds')]
    public function they_are_what_the_next_flush_delivers(int $seed): void
    {
        $random = new Randomizer(new Mt19937($seed));

        foreach (range(1, $random->getInt(2, 5)) as $round) {
            $this->append(array_map(
                static fn (int $i): string => ($random->getInt(0, 2) === 0 ? 'bad' : 'good')." {$round}-{$i}",
                range(1, $random->getInt(1, 6)),
            ));

            if ($random->getInt(0, 3) !== 0) {
                $this->flush();
            }

            $this->world->letters()->retry($this->some($random));
            $this->world->letters()->forget($this->some($random));
        }

        $rows = $this->rows();
        $report = $this->world->replay(ReplayFrom::start(), again: true);
        self::assertSame($rows, $report->redelivered);

        $flush = $this->flush();
        self::assertSame($report->waiting, $flush->delivered + $flush->dead);
        self::assertSame($rows + $flush->delivered, $this->rows());
        $this->world->letters()->forget($this->positions());
        self::assertSame(0, $this->world->replay(ReplayFrom::now())->waiting);
    }

    #[Test]
    public function forgotten_events_are_no_part_of_an_interrupted_batch(): void
    {
        $this->append(['bad 1', 'a'], 'picky');
        $this->flush('picky');
        $this->world->letters('picky')->forget($this->positions('picky'));
        $this->append(['b', 'c', 'd'], 'picky');
        $this->child('flush', ['picky'], ['sink.returned#1' => Act::Kill])->awaitKilled();

        $report = $this->world->replay(ReplayFrom::start(), bucket: 'picky');
        self::assertSame([1, 3, 4], [$report->redelivered, $report->unknown, $report->waiting]);
    }

    #[Test]
    public function a_letter_whose_segment_is_gone_hides_no_second_arrival(): void
    {
        $this->append(['a']);
        $this->flush();
        $this->append(['bad 1']);
        $this->flush();
        unlink($this->world->layout()->completedSegment($this->positions()[0]->segment));

        $report = $this->world->replay(ReplayFrom::start());
        self::assertSame([false, 1, 1], [$report->isDone, $report->redelivered, $report->waiting]);
    }

    /** @return list<Position> */
    private function some(Randomizer $random): array
    {
        return array_values(array_filter(
            $this->positions(),
            static fn (Position $position): bool => $random->getInt(0, 2) === 0,
        ));
    }

    private function rows(): int
    {
        return $this->world->database()->table('events')->count();
    }
}
