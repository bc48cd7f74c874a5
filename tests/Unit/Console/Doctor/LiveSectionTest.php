<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Console\Doctor;

use Headroom\Console\Doctor\LiveSection;
use Headroom\Doctor\Report;
use Headroom\Doctor\UnderLoad\Causes\Causes;
use Headroom\Doctor\UnderLoad\LoadDiagnosis;
use Headroom\Doctor\UnderLoad\MissingData;
use Headroom\Doctor\UnderLoad\Recording;
use Headroom\Doctor\UnderLoad\Samplers\CpuSnapshot;
use Headroom\Doctor\UnderLoad\Samplers\PoolSnapshot;
use Headroom\Doctor\UnderLoad\Samplers\Snapshot;
use Headroom\Doctor\UnderLoad\Waits\Wait;
use Headroom\Doctor\UnderLoad\Waits\WaitKind;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The lines of the page are the samples.
 */
final class LiveSectionTest extends TestCase
{
    private const QUEUE = [0, 4, 40, 10];

    private const BUSY = [1, 3, 2, 4];

    /** Percent since the look before. */
    private const CPU = [null, 100.0, 25.0, 50.0];

    #[Test]
    public function each_line_has_the_numbers_of_its_samples_on_one_time(): void
    {
        $html = $this->section($this->samples());

        self::assertSame(3, preg_match_all('~<figcaption>(.+?), up to ([\d.,]+)</figcaption><svg viewBox="0 0 1000 64".*?<polyline points="([^"]+)"~', $html, $panels, PREG_SET_ORDER));
        self::assertSame(['wait for a process', 'busy processes', 'CPU time used, %'], array_column($panels, 1));

        foreach ([self::QUEUE, self::BUSY, self::CPU] as $index => $numbers) {
            $most = (float) $panels[$index][2];
            $drawn = array_map(static function (string $place) use ($most): array {
                [$x, $y] = array_map(floatval(...), explode(',', $place));

                return [round($x * 3 / 1_000, 2), round((62 - $y) / 60 * $most, 1)];
            }, explode(' ', $panels[$index][3]));
            $seen = array_filter(array_map(
                static fn (int $second, int|float|null $number): ?array
                    => $number === null ? null : [(float) $second, (float) $number],
                array_keys($numbers),
                $numbers,
            ));

            self::assertSame(array_values($seen), $drawn, $panels[$index][1]);
        }

        self::assertStringContainsString('<span>0 s</span><span>3 s</span>', $html);
    }

    #[Test]
    public function where_nothing_was_seen_there_is_no_empty_chart(): void
    {
        $html = $this->section([]);

        self::assertStringNotContainsString('<svg', $html);
        self::assertStringNotContainsString('0 s</span>', $html);
    }

    #[Test]
    public function the_page_has_what_is_unknown_and_what_else_is_the_matter(): void
    {
        $command = 'apt-get install -y php-excimer && kill -USR2 812   # <a page>';
        $gaps = [new MissingData('the queue', 'ss is <not> here', 'apt-get install -y iproute2')];
        $live = LoadDiagnosis::of(new Recording([], $this->samples(), null, 5, $gaps), Causes::all(), 1.0)
            ->with(new MissingData('which PHP functions take the CPU time', 'The pool has no excimer.', $command));
        $html = (new LiveSection($live, new Report([])))->text();

        foreach ($live->gaps() as $gap) {
            foreach ([$gap->what, $gap->reason, $gap->command] as $words) {
                self::assertStringContainsString(htmlspecialchars($words), $html);
            }
        }

        self::assertCount(2, $live->gaps());

        foreach ($live->others as $other) {
            self::assertStringContainsString(htmlspecialchars($other->sentence, ENT_QUOTES | ENT_HTML5), $html);
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
    private function section(array $samples): string
    {
        return (new LiveSection(
            LoadDiagnosis::of(new Recording([], $samples, null, 5), Causes::all(), 1.0),
            new Report([]),
        ))->text();
    }
}
