<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Bench\Queues\Results;

use Headroom\Bench\Queues\Durability;
use Headroom\Bench\Queues\Results\Fault;
use Headroom\Bench\Queues\Results\Finding;
use Headroom\Bench\Queues\Results\Findings;
use Headroom\Tests\Support\Snapshot;
use Headroom\Tests\Unit\Bench\Queues\Made;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

#[Group('snapshot')]
final class FindingTest extends TestCase
{
    #[Test]
    public function the_rate_is_the_median_of_the_valid_runs_only(): void
    {
        $finding = Made::finding([
            Made::outcome(1_000),
            Made::outcome(9_000, [Fault::double([1])]),
            Made::outcome(1_100),
            Made::nothing(),
            Made::throttled(10),
            Made::outcome(1_200),
        ]);

        self::assertEqualsWithDelta(1_100.0, (float) $finding->summary()['jobs_per_s'], 0.01);
        self::assertCount(3, $finding->valid());
    }

    #[Test]
    public function a_run_that_only_the_machine_slowed_is_no_run_and_no_invalid_one(): void
    {
        $finding = Made::finding(
            [
                Made::outcome(),
                Made::throttled(),
                Made::outcome(1_000, [Fault::lost([4, 5])]),
                Made::outcome(1_000, [Fault::throttled('so'), Fault::failed(1)]),
            ],
            rounds: 3,
        );
        $summary = $finding->summary();

        self::assertSame([3, 1, 1], [$summary['runs'], $summary['valid_runs'], $summary['throttled_runs']]);
        self::assertSame([$finding->outcomes[2], $finding->outcomes[3]], $finding->invalid());
        self::assertSame([2, 0, 1], [$summary['lost'], $summary['double'], $summary['failed']]);
    }

    #[Test]
    public function without_a_valid_run_there_is_no_figure(): void
    {
        $array = Made::finding([Made::outcome(1_000, [Fault::lost([1])])])->toArray();

        self::assertSame(
            [null, null, null, null, null],
            [$array['jobs_per_s'], $array['iqr_share'], $array['p25'], $array['p75'], $array['wait_ms']],
        );
    }

    #[Test]
    public function a_driver_that_was_not_measured_to_the_end_has_no_figure(): void
    {
        $array = Made::finding([Made::outcome(waits: [1.0])], refused: 'redis: gone.', rounds: 3)->toArray();

        self::assertSame(
            [null, null, 1, 3],
            [$array['jobs_per_s'], $array['wait_ms'], $array['valid_runs'], $array['runs']],
        );
    }

    #[Test]
    public function one_run_has_no_spread(): void
    {
        self::assertNull(Made::finding([Made::outcome()])->summary()['iqr_share']);
        self::assertNotNull(Made::finding([Made::outcome(), Made::outcome()])->summary()['iqr_share']);
    }

    #[Test]
    public function waits_are_of_all_jobs_of_valid_runs(): void
    {
        $finding = Made::finding([
            Made::outcome(waits: [1.0, 3.0]),
            Made::outcome(waits: [2.0]),
            Made::outcome(faults: [Fault::lost([1])], waits: [99.0]),
        ]);

        self::assertSame(['p50' => 2.0, 'p90' => 2.8, 'p99' => 2.98, 'max' => 3.0], $finding->toArray()['wait_ms']);
    }

    #[Test]
    public function each_run_that_is_not_counted_is_named_with_its_round(): void
    {
        $finding = Made::finding(
            [
                Made::outcome(),
                Made::throttled(),
                Made::outcome(1_000, [Fault::lost([1]), Fault::leftBehind(2)]),
                Made::throttled(),
                Made::throttled(),
                Made::throttled(),
                Made::outcome(1_000, errors: ['Rare' => 1, 'Often' => 1_000]),
            ],
            refused: 'redis: gone.',
            rounds: 4,
        );

        $complaints = $finding->notes();
        [$slow, $lost, $left] = [Fault::throttled('so')->words, Fault::lost([1])->words, Fault::leftBehind(2)->words];

        self::assertCount(8, $complaints);
        self::assertSame('redis: gone.', $complaints[0]);

        foreach ([1 => [2, $slow], [2, $lost], [2, $left], [3, $slow], [3, $slow], [3, $slow]] as $at => [
            $round, $words,
        ]) {
            self::assertMatchesRegularExpression("/^redis\D+{$round}\D+: \Q{$words}\E\.$/", $complaints[$at]);
        }

        self::assertMatchesRegularExpression('/^redis: .*\b1,001\b.* Often$/', $complaints[7]);
        // The text distinguishes a run that is made again from one that does not count.
        self::assertNotSame($complaints[5], $complaints[6]);
        Snapshot::assertPrinted('bench queues', 'complaints of a finding', implode("\n", $complaints));
    }

    #[Test]
    public function fates_that_are_asked_for_are_no_complaints(): void
    {
        $finding = Made::finding(
            [Made::outcome(
                1,
                [Fault::double([1]), Fault::failed(2), Fault::workerEnded(1, 'killed')],
                errors: ['Often' => 3],
            )],
            refused: 'redis: gone.',
        );

        $complaints = $finding->notes(true);

        self::assertSame([2, 'redis: gone.'], [count($complaints), $complaints[0]]);
        self::assertStringEndsWith(': '.Fault::workerEnded(1, 'killed')->words.'.', $complaints[1]);
    }

    #[Test]
    public function findings_are_valid_when_all_runs_are_and_all_was_measured(): void
    {
        $good = Made::finding(Made::rates([1_000]), 'a');

        self::assertTrue((new Findings([$good, Made::finding([Made::throttled(), Made::outcome()], 'b')]))->isValid());
        self::assertFalse(
            (new Findings([
                $good, Made::finding([Made::outcome(), Made::outcome(1, [Fault::lost([1])])], 'b'),
            ]))->isValid(),
        );
        self::assertFalse((new Findings([$good, Made::finding([Made::throttled()], 'b')]))->isValid());
        self::assertFalse((new Findings([$good, Made::finding([], 'b')]))->isValid());
        self::assertFalse((new Findings([$good, Made::finding([Made::outcome()], 'b', refused: 'gone')]))->isValid());
        self::assertFalse(
            (new Findings([
                $good,
                Made::finding([Made::outcome(), Made::outcome(1, [Fault::throttled('so'), Fault::lost([1])])], 'b'),
            ]))->isValid(),
        );
    }

    #[Test]
    public function findings_about_fates_are_valid_when_all_was_measured(): void
    {
        self::assertTrue(
            (new Findings([Made::finding([Made::outcome(
                1,
                [Fault::double([1]), Fault::lost([2]), Fault::failed(1)],
            )])]))->isValid(true),
        );
        self::assertFalse(
            (new Findings([Made::finding([Made::outcome(1, [Fault::workerEnded(1, '')])])]))->isValid(true),
        );
        self::assertFalse((new Findings([Made::finding([Made::outcome()], refused: 'gone')]))->isValid(true));
        self::assertFalse((new Findings([Made::finding([])]))->isValid(true));
    }

    #[Test]
    public function those_that_keep_jobs_equally_well_stand_together_the_fastest_first(): void
    {
        $findings = new Findings([
            self::named('redis', 5_000, Durability::Seconds),
            self::named('beanstalkd', 9_000, Durability::None),
            self::named('sqlite', 300, Durability::EachJob),
            Made::finding([], 'broken', Durability::EachJob),
            self::named('mariadb', 900, Durability::EachJob),
            self::named('theirs', 99_999, Durability::Unknown),
        ]);

        self::assertSame(
            [
                'each job' => ['mariadb', 'sqlite', 'broken'],
                'all but seconds' => ['redis'],
                'nothing' => ['beanstalkd'],
                'unknown' => ['theirs'],
            ],
            self::order($findings),
        );
        self::assertFalse($findings->isAlikeDurable());
    }

    #[Test]
    public function rows_of_one_driver_stay_in_their_order(): void
    {
        $findings = new Findings([
            self::named('redis, empty', 1), self::named('redis, 1 kB', 3), self::named('redis, 60 kB', 2),
        ]);

        self::assertSame(
            ['all but seconds' => ['redis, empty', 'redis, 1 kB', 'redis, 60 kB']],
            self::order($findings),
        );
        self::assertTrue($findings->isAlikeDurable());
    }

    private static function named(string $name, float $rate, Durability $durability = Durability::Seconds): Finding
    {
        return Made::finding(Made::rates([$rate]), $name, $durability);
    }

    /** @return array<string, list<string>> */
    private static function order(Findings $findings): array
    {
        return array_map(
            static fn (array $group): array
                => array_map(static fn (Finding $finding): string => $finding->variant->name, $group),
            $findings->byDurability(),
        );
    }
}
