<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Bench\Preload;

use Headroom\Bench\PairedComparison;
use Headroom\Bench\Preload\CpuSample;
use Headroom\Bench\Preload\PageCost;
use Headroom\Bench\Preload\PoolFacts;
use Headroom\Bench\Preload\PreloadFinding;
use Headroom\Bench\Preload\PreloadVariant;
use Headroom\Bench\Preload\UnableToMeasure;
use Headroom\Bench\Samples;
use Headroom\Preload\TargetApplication;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class PreloadFindingsTest extends TestCase
{
    #[Test]
    public function turns_of_a_round_are_one_figure(): void
    {
        $sample = CpuSample::together([
            new CpuSample(10.0, 20.0, [200 => 8]),
            new CpuSample(30.0, 60.0, [200 => 7, 500 => 1]),
        ]);

        self::assertEquals(new CpuSample(20.0, 40.0, [200 => 15, 500 => 1]), $sample);
    }

    #[Test]
    public function a_page_that_answers_otherwise_has_no_cost(): void
    {
        $cost = self::cost(0.5, isChanged: true);

        self::assertNull($cost->change());
        self::assertFalse($cost->isSeen());
        self::assertTrue(self::cost(0.5)->isSeen());
    }

    #[Test]
    public function a_twin_that_is_as_far_away_hides_a_cost(): void
    {
        self::assertTrue(self::cost(0.95, floor: 0.04)->isSeen());
        self::assertFalse(self::cost(0.95, floor: 0.06)->isSeen());
    }

    #[Test]
    public function the_worst_of_the_pages_that_answer_the_same_is_reported(): void
    {
        $finding = self::finding([
            'one' => self::cost(0.8),
            'two' => self::cost(0.9),
            'three' => self::cost(1.1, isChanged: true),
        ]);

        self::assertEqualsWithDelta(-0.1, (float) $finding->worstChange(['one', 'two', 'three']), 1e-9);
        self::assertEqualsWithDelta(-0.2, (float) $finding->worstChange(['one']), 1e-9);
        self::assertNull($finding->worstChange(['three']));
    }

    #[Test]
    public function a_pool_reports_its_opcache_figures(): void
    {
        $facts = PoolFacts::fromJson(
            '{"files":3,"classes":4,"preload_bytes":5,"used_bytes":6,"free_bytes":7,"strings_bytes":8,'
                .'"cached_scripts":9}',
            'hot',
            2,
        );

        self::assertSame(
            [
                'files' => 3,
                'classes' => 4,
                'preload_bytes' => 5,
                'used_bytes' => 6,
                'free_bytes' => 7,
                'strings_bytes' => 8,
                'cached_scripts' => 9,
                'warnings' => 2,
            ],
            $facts->toArray(),
        );
    }

    #[Test]
    public function a_pool_without_opcache_is_no_measure(): void
    {
        $this->expectExceptionObject(UnableToMeasure::noStatus('hot', 'null'));

        PoolFacts::fromJson('null', 'hot', 0);
    }

    #[Test]
    public function all_variants_have_the_same_settings_but_for_the_script(): void
    {
        $plain = new PreloadVariant(
            'plain',
            new TargetApplication('/srv', '/srv/public/index.php', ini: ['opcache.memory_consumption' => 512]),
        );
        $hot = $plain->preloading('hot', '/srv/preload.php');

        self::assertSame('', $plain->ini()['opcache.preload']);
        self::assertSame(512, $plain->ini()['opcache.memory_consumption']);
        self::assertSame(['opcache.preload' => '/srv/preload.php'], array_diff_assoc($hot->ini(), $plain->ini()));
        self::assertSame([$plain->ini(), 'plain again'], [$plain->twin()->ini(), $plain->twin()->name]);
    }

    /** @param array<string, PageCost> $costs */
    private static function finding(array $costs): PreloadFinding
    {
        $one = new Samples([1]);

        return new PreloadFinding(
            'hot',
            new PoolFacts(0, 0, 0, 0, 0, 0, 0, 0),
            $one,
            $one,
            $one,
            PairedComparison::of([1], [1]),
            $costs,
            [],
            [],
        );
    }

    private static function cost(float $ratio, float $floor = 0.0, bool $isChanged = false): PageCost
    {
        return new PageCost(
            new Samples([1]),
            new Samples([1]),
            PairedComparison::of(array_fill(0, 10, 1), array_fill(0, 10, $ratio)),
            $floor,
            $isChanged,
        );
    }
}
