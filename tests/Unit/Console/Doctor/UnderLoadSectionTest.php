<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Console\Doctor;

use Headroom\Console\Doctor\UnderLoadSection;
use Headroom\Doctor\Report;
use Headroom\Doctor\UnderLoad\Causes\CauseList;
use Headroom\Doctor\UnderLoad\LoadDiagnosis;
use Headroom\Doctor\UnderLoad\MissingData;
use Headroom\Doctor\UnderLoad\Recording;
use Headroom\Doctor\UnderLoad\Samplers\CpuSnapshot;
use Headroom\Doctor\UnderLoad\Samplers\PoolSnapshot;
use Headroom\Doctor\UnderLoad\Samplers\Snapshot;
use Headroom\Doctor\UnderLoad\Waits\Wait;
use Headroom\Doctor\UnderLoad\Waits\WaitKind;
use Headroom\Report\Page\Section;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The lines of the page are the samples.
 */
final class UnderLoadSectionTest extends TestCase
{
    private const QUEUE = [0, 4, 40, 10];

    private const BUSY = [1, 3, 2, 4];

    /** Percent since the look before. */
    private const CPU = [null, 100.0, 25.0, 50.0];

    #[Test]
    public function each_line_has_the_numbers_of_its_samples_on_one_time(): void
    {
        $charts = self::charts($this->section($this->samples()));
        self::assertSame(['Wait for a process', 'Busy processes', 'CPU time used'], array_column($charts, 'title'));
        self::assertSame(['count', 'count', 'percent'], array_column($charts, 'y'));

        foreach ([self::QUEUE, self::BUSY, self::CPU] as $index => $numbers) {
            self::assertEquals(
                array_map(null, array_keys($numbers), $numbers),
                $charts[$index]['lines'][0]['points'] ?? null,
                $charts[$index]['title'],
            );
        }
    }

    #[Test]
    public function where_nothing_was_seen_there_is_no_empty_chart(): void
    {
        self::assertSame([], self::charts($this->section([])));
    }

    #[Test]
    public function the_page_has_what_is_unknown_and_what_else_is_the_matter(): void
    {
        $command = 'apt-get install -y php-excimer && kill -USR2 812   # <a page>';
        $gaps = [new MissingData('the queue', 'ss is <not> here', 'apt-get install -y iproute2')];
        $live = LoadDiagnosis::of(new Recording([], $this->samples(), null, 5, $gaps), CauseList::all(), 1.0)
            ->with(new MissingData('which PHP functions take the CPU time', 'The pool has no excimer.', $command));
        $page = (string) json_encode(UnderLoadSection::of($live, new Report([]))->toArray());
        $encoded = static fn (string $text): string => trim((string) json_encode($text), '"');

        foreach ($live->missingData() as $gap) {
            foreach ([$gap->what, $gap->reason, $gap->command] as $words) {
                self::assertStringContainsString($encoded($words), $page);
            }
        }

        self::assertCount(2, $live->missingData());

        foreach ($live->others as $other) {
            self::assertStringContainsString($encoded($other->sentence), $page);
        }
    }

    /** @return list<Snapshot> one a second */
    private function samples(): array
    {
        $used = 0.0;

        return array_map(static function (int $second) use (&$used): Snapshot {
            $used += self::CPU[$second] ?? 0.0;
            $waits = array_map(
                static fn (int $pid): Wait
                    => new Wait($pid <= self::BUSY[$second] ? WaitKind::Working : WaitKind::Idle, null, null, $pid),
                range(1, 5),
            );

            return new Snapshot(
                7_000_000_000 + $second * 1_000_000_000,
                new PoolSnapshot(self::QUEUE[$second], 511),
                $waits,
                new CpuSnapshot(100 * $second, (int) (100 * $second - $used), []),
                [],
                null,
                null,
            );
        }, array_keys(self::QUEUE));
    }

    /** @param list<Snapshot> $samples */
    private function section(array $samples): Section
    {
        return UnderLoadSection::of(
            LoadDiagnosis::of(new Recording([], $samples, null, 5), CauseList::all(), 1.0),
            new Report([]),
        );
    }

    /** @return list<array{title: string, y: string, lines: list<array{points: list<array{float, ?float}>}>}> */
    private static function charts(Section $section): array
    {
        foreach ($section->toArray()['blocks'] as $block) {
            if ($block['kind'] === 'side') {
                /**
                 * @var list<array{title: string, y: string, lines: list<array{points: list<array{float, ?float}>}>}>
                 */
                return $block['blocks'];
            }
        }

        return [];
    }
}
