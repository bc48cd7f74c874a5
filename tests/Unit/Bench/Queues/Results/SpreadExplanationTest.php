<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Bench\Queues\Results;

use Headroom\Bench\Queues\Durability;
use Headroom\Bench\Queues\Results\Fault;
use Headroom\Bench\Queues\Results\Outcome;
use Headroom\Bench\Queues\Results\SpreadExplanation;
use Headroom\Tests\Support\Snapshot;
use Headroom\Tests\Unit\Bench\Queues\Made;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

#[Group('snapshot')]
final class SpreadExplanationTest extends TestCase
{
    /** Wide, and in an order without a drift. */
    private const WIDE = [1_000.0, 2_000.0, 1_000.0, 2_000.0];

    #[Test]
    public function a_narrow_spread_needs_no_words(): void
    {
        self::assertSame('', self::words(Made::rates([1_000, 1_050, 1_020, 1_090])));
    }

    #[Test]
    public function without_a_valid_run_there_is_no_spread(): void
    {
        self::assertSame('', self::words([]));
        self::assertSame('', self::words([Made::outcome(1_000, [Fault::lost([1])])]));
    }

    #[Test]
    public function a_few_runs_do_not_say_why(): void
    {
        Snapshot::assertPrinted(
            'bench queues',
            'a wide spread of three runs',
            self::words(Made::rates([1_000, 2_000, 1_000])),
        );
    }

    #[Test]
    public function runs_that_are_not_counted_explain_nothing(): void
    {
        $three = Made::rates([1_000, 2_000, 1_000]);

        self::assertNotSame('', self::words($three));
        self::assertSame(self::words($three), self::words([...$three, Made::throttled()]));
        self::assertSame(
            '',
            self::words([
                ...Made::rates([1_000, 1_000, 1_000, 1_000]),
                Made::throttled(1),
                Made::outcome(9_999, [Fault::double([1])]),
            ]),
        );
    }

    #[Test]
    public function an_unexplained_spread_is_in_the_driver_or_its_server(): void
    {
        Snapshot::assertPrinted(
            'bench queues',
            'a wide spread that nothing explains',
            self::words(Made::rates(self::WIDE)),
        );
    }

    #[Test]
    public function a_drift_is_reported_with_its_direction(): void
    {
        $slower = self::words(Made::rates([2_000, 2_000, 1_000, 1_000]));
        $faster = self::words(Made::rates([1_000, 1_000, 1_500, 2_000, 2_000]));

        self::assertStringContainsString(' 50 % ', $slower);
        self::assertStringContainsString(' 100 % ', $faster);
        Snapshot::assertPrinted('bench queues', 'a drift of the runs', "{$slower}\n{$faster}");
    }

    #[Test]
    public function a_cpu_that_differed_is_reported(): void
    {
        $outcomes = array_map(
            static fn (float $rate): Outcome => Made::outcome($rate, cpu: 5_000_000 / $rate),
            self::WIDE,
        );

        self::assertMatchesRegularExpression('/\bCPU\b.* 67 % /', self::words($outcomes));
        Snapshot::assertPrinted('bench queues', 'a CPU that differed', self::words($outcomes));
    }

    #[Test]
    public function a_disk_that_differed_is_reported_where_each_job_waits_for_it(): void
    {
        $outcomes = array_map(
            static fn (float $rate): Outcome => Made::outcome($rate, sync: 200_000 / $rate),
            self::WIDE,
        );

        self::assertMatchesRegularExpression('/\bfdatasync\b.* 67 % /', self::words($outcomes, Durability::EachJob));
        self::assertSame(self::words(Made::rates(self::WIDE)), self::words($outcomes, Durability::Seconds));
    }

    #[Test]
    public function stolen_time_is_reported(): void
    {
        $outcomes = [...Made::rates([1_000, 2_000, 1_000]), Made::outcome(2_000, stolen: 0.08)];

        self::assertStringContainsString(' 8 % ', self::words($outcomes));
        Snapshot::assertPrinted('bench queues', 'CPU time of other machines', self::words($outcomes));
    }

    #[Test]
    public function errors_of_workers_are_reported_with_the_first_of_them(): void
    {
        $outcomes = [
            ...Made::rates([1_000, 2_000, 1_000]), Made::outcome(2_000, errors: ['Deadlock' => 3, 'Gone away' => 1]),
        ];

        self::assertMatchesRegularExpression('/\b0\b\D+\b4\b.*\(Deadlock\)$/', self::words($outcomes));
    }

    #[Test]
    public function several_reasons_are_reported_together(): void
    {
        $outcomes = [
            Made::outcome(2_000), Made::outcome(2_000), Made::outcome(1_000, stolen: 0.05), Made::outcome(1_000),
        ];

        self::assertMatchesRegularExpression('/ 50 % .*; .* 5 % /', self::words($outcomes));
    }

    /** @param list<Outcome> $outcomes */
    private static function words(array $outcomes, Durability $durability = Durability::Seconds): string
    {
        return (new SpreadExplanation(Made::finding($outcomes, durability: $durability)))->words();
    }
}
