<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Bench\Queues;

use Headroom\Bench\Queues\Durability;
use Headroom\Bench\Queues\Fault;
use Headroom\Bench\Queues\Finding;
use Headroom\Bench\Queues\Findings;
use Headroom\Bench\Queues\FindingsTable;
use Headroom\Bench\Queues\Outcome;
use Headroom\Bench\Queues\Scenario;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class FindingsTableTest extends TestCase
{
    #[Test]
    public function drivers_stand_by_what_they_keep_the_fastest_first(): void
    {
        self::assertSame([
            'How many empty jobs per second do workers get through?',
            '',
            'on disk when it is queued  jobs/s  p25    p75  spread  valid  lost  twice',
            'database:mariadb            1,000  975  1,025     5 %    3/3     0      0',
            'database:sqlite               300  300    300       -    1/2     2      0',
            '',
            'in memory      jobs/s    p25    p75  spread  valid  lost  twice',
            'beanstalkd      9,500  9,500  9,500       -    1/1     0      0',
            'redis       not valid      -      -       -    0/1     0      1',
            '',
            'Those that keep jobs on disk and those that do not do different work: compare',
            'within a group, or say so.',
            'database:sqlite, round 2 is not counted: 2 jobs (7, 8) never ran.',
            'redis, round 1 is not counted: 1 job (1) ran more than once.',
        ], self::lines(Scenario::Empty, [
            Made::finding([...Made::rates([300]), Made::outcome(1, [Fault::lost([7, 8])])], 'database:sqlite', Durability::EachJob),
            Made::finding([Made::outcome(5_000, [Fault::double([1])])], 'redis', Durability::None),
            Made::finding(Made::rates([9_500]), 'beanstalkd', Durability::None),
            Made::finding(Made::rates([950, 1_000, 1_050]), 'database:mariadb', Durability::EachJob),
        ]));
    }

    #[Test]
    public function a_driver_that_could_not_be_measured_is_there_with_the_reason(): void
    {
        self::assertSame([
            'How many empty jobs per second do workers get through?',
            '',
            'on disk within seconds   jobs/s  p25  p75  spread  valid  lost  twice',
            'redis                   refused    -    -       -    0/3     0      0',
            '',
            'redis: counting jobs failed: RedisException: Connection refused',
        ], self::lines(Scenario::Empty, [Made::finding([], refused: 'redis: counting jobs failed: RedisException: Connection refused', rounds: 3)]));
    }

    #[Test]
    public function what_keeps_all_rows_of_a_driver_from_being_measured_is_told_once(): void
    {
        $lines = self::lines(Scenario::Output, [Made::finding([], 'redis, as it is', refused: 'redis: gone'), Made::finding([], 'redis, --quiet', refused: 'redis: gone'), Made::finding([], 'beanstalkd, --quiet', refused: 'beanstalkd: gone')]);

        self::assertSame(['', 'redis: gone', 'beanstalkd: gone'], array_slice($lines, -3));
    }

    #[Test]
    public function of_fates_it_is_told_what_became_of_jobs_and_none_is_called_invalid(): void
    {
        self::assertSame([
            'What happens to a job that takes longer than retry_after?',
            '',
            'on disk within seconds   jobs    ran  twice  lost  failed',
            'redis                   1,000  1,000      2     0       3',
            '',
            'That jobs run twice, or are given up though they ran, is expected here: each',
            'takes longer than retry_after, so it is given to a second worker while the first',
            'is at it.',
        ], self::lines(Scenario::Slow, [Made::finding([Made::outcome(1, [Fault::double([1, 2]), Fault::failed(3)])])]));
    }

    #[Test]
    public function fates_that_nobody_saw_are_no_zeros(): void
    {
        self::assertSame([
            'on disk within seconds     jobs  ran  twice  lost  failed',
            'redis                   refused    -      -     -       -',
            '',
            'redis: gone',
        ], array_slice(self::lines(Scenario::Slow, [Made::finding([], refused: 'redis: gone')]), 2));
    }

    #[Test]
    public function of_arrivals_the_waits_are_told(): void
    {
        $lines = self::lines(Scenario::Arrivals, [
            Made::finding([Made::outcome(waits: [1.0, 2.0, 1_234.5])], 'a'),
            Made::finding([Made::outcome(1, [Fault::lost([1])])], 'b'),
        ]);

        self::assertSame([
            'on disk within seconds  p50 ms  p90 ms  p99 ms  longest  valid  lost  twice',
            'a                         2.00     988   1,210    1,235    1/1     0      0',
            'b                            -       -       -        -    0/1     1      0',
        ], array_slice($lines, 2, 3));
    }

    #[Test]
    public function one_worker_stands_beside_its_figures(): void
    {
        $alone = static fn (Finding $finding): Finding => new Finding($finding->variant->given($finding->variant->workload->by(1)), $finding->outcomes, $finding->rounds, $finding->refused);

        self::assertSame([
            'on disk within seconds       jobs/s  p25  p75  spread  valid  lost  twice',
            'redis                           900  900  900       -    1/1     0      0',
            'database:sqlite, one worker     620  620  620       -    1/1     0      0',
        ], array_slice(self::lines(Scenario::Empty, [Made::finding(Made::rates([900])), $alone(Made::finding(Made::rates([620]), 'database:sqlite'))]), 2));
        self::assertContains('  --quiet, one worker      620  620  620       -    1/1     0      0', self::lines(Scenario::Output, [$alone(Made::finding(Made::rates([620]), 'database:sqlite, --quiet'))]));
    }

    #[Test]
    public function a_wide_spread_is_explained(): void
    {
        self::assertContains('redis is spread wide: there are too few runs to say why.', self::lines(Scenario::Empty, [Made::finding(Made::rates([1_000, 2_000]))]));
    }

    /** @return iterable<string, array{Scenario}> */
    public static function scenarios(): iterable
    {
        foreach (Scenario::cases() as $scenario) {
            yield $scenario->value => [$scenario];
        }
    }

    #[Test]
    #[DataProvider('scenarios')]
    public function it_fits_80_columns_with_long_names_many_digits_and_long_words(Scenario $scenario): void
    {
        $name = "database:the-connection-of-the-reporting-department-\u{1f980}\u{1f980}, CACHE_STORE=";
        $outcomes = [...array_map(static fn (float $rate): Outcome => Made::outcome($rate, waits: [0.001, 123_456.7]), [98_765.4, 123_456.7, 199_999.0]), Made::outcome(1, [Fault::lost(range(1, 99_999)), Fault::double(range(1, 88_888)), Fault::workerEnded(1, str_repeat('words ', 99))])];
        $lines = self::lines($scenario, [Made::finding($outcomes, "{$name}file"), Made::finding($outcomes, "{$name}array"), Made::finding([], "{$name}x", Durability::EachJob, str_repeat('why ', 99))]);

        self::assertSame([], array_filter($lines, static fn (string $line): bool => mb_strwidth($line) > 80));
        self::assertStringContainsString($scenario->isAboutFates() ? '99,999' : '3/4', implode("\n", $lines));
    }

    #[Test]
    public function rows_of_a_driver_with_a_long_name_are_told_apart(): void
    {
        $names = ['database:the-reporting-department, CACHE_STORE=array', 'database:the-reporting-department, CACHE_STORE=database', 'redis, CACHE_STORE=array'];

        self::assertSame([
            'on disk within seconds          jobs/s    p25    p75  spread  valid  lost  twice',
            'database:the-reporting-depart…',
            '  CACHE_STORE=array              1,000  1,000  1,000       -    1/1     0      0',
            '  CACHE_STORE=database           1,000  1,000  1,000       -    1/1     0      0',
            'redis',
            '  CACHE_STORE=array              1,000  1,000  1,000       -    1/1     0      0',
        ], array_slice(self::lines(Scenario::Cache, array_map(static fn (string $name): Finding => Made::finding(Made::rates([1_000]), $name), $names)), 3));
    }

    /**
     * @param non-empty-list<Finding> $findings
     * @return list<string>
     */
    private static function lines(Scenario $scenario, array $findings): array
    {
        return (new FindingsTable($scenario, new Findings($findings)))->lines();
    }
}
