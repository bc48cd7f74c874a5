<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Bench\Queues\Report;

use Headroom\Bench\Queues\Durability;
use Headroom\Bench\Queues\Report\FindingsTable;
use Headroom\Bench\Queues\Results\Fault;
use Headroom\Bench\Queues\Results\Finding;
use Headroom\Bench\Queues\Results\Findings;
use Headroom\Bench\Queues\Results\Outcome;
use Headroom\Bench\Queues\Results\SpreadExplanation;
use Headroom\Bench\Queues\Scenarios\Scenario;
use Headroom\Tests\Support\Snapshot;
use Headroom\Tests\Unit\Bench\Queues\Made;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

#[Group('snapshot')]
final class FindingsTableTest extends TestCase
{
    #[Test]
    public function drivers_are_grouped_by_durability_with_the_fastest_first(): void
    {
        $lines = self::lines(Scenario::Empty, [
            Made::finding(
                [...Made::rates([300]), Made::outcome(1, [Fault::lost([7, 8])])],
                'database:sqlite',
                Durability::EachJob,
            ),
            Made::finding([Made::outcome(5_000, [Fault::double([1])])], 'redis', Durability::None),
            Made::finding(Made::rates([9_500]), 'beanstalkd', Durability::None),
            Made::finding(Made::rates([950, 1_000, 1_050]), 'database:mariadb', Durability::EachJob),
        ]);

        self::assertSame(
            [Scenario::Empty->question(), Durability::EachJob->words(), Durability::None->words()],
            [$lines[0], self::cells($lines[2])[0], self::cells($lines[6])[0]],
        );
        self::assertSame([
            ['database:mariadb', '1,000', '975', '1,025', '5 %', '3/3', '0', '0'],
            ['database:sqlite', '300', '300', '300', '-', '1/2', '2', '0'],
            ['beanstalkd', '9,500', '9,500', '9,500', '-', '1/1', '0', '0'],
        ], array_map(self::cells(...), [$lines[3], $lines[4], $lines[7]]));
        self::assertMatchesRegularExpression('~^redis +\D+ - +- +- +0/1 +0 +1$~', $lines[8]);
        Snapshot::assertPrinted('bench queues', 'a table of rates', implode("\n", $lines));
    }

    #[Test]
    public function a_driver_that_could_not_be_measured_is_there_with_the_reason(): void
    {
        $refused = 'redis: counting jobs failed: RedisException: Connection refused';
        $lines = self::lines(Scenario::Empty, [Made::finding([], refused: $refused, rounds: 3)]);

        self::assertMatchesRegularExpression('~^redis +\D+ - +- +- +0/3 +0 +0$~', $lines[3]);
        self::assertSame(['', $refused], array_slice($lines, 4));
        Snapshot::assertPrinted('bench queues', 'a table without a figure', implode("\n", $lines));
    }

    #[Test]
    public function a_failure_of_all_rows_of_a_driver_is_reported_once(): void
    {
        $lines = self::lines(Scenario::Output, [
            Made::finding([], 'redis, as it is', refused: 'redis: gone'),
            Made::finding([], 'redis, --quiet', refused: 'redis: gone'),
            Made::finding([], 'beanstalkd, --quiet', refused: 'beanstalkd: gone'),
        ]);

        self::assertSame(['', 'redis: gone', 'beanstalkd: gone'], array_slice($lines, -3));
    }

    #[Test]
    public function a_table_of_fates_counts_them_and_calls_no_run_invalid(): void
    {
        $lines = self::lines(
            Scenario::Slow,
            [Made::finding([Made::outcome(1, [Fault::double([1, 2]), Fault::failed(3)])])],
        );

        self::assertSame(['redis', '1,000', '1,000', '2', '0', '3'], self::cells($lines[3]));
        self::assertStringContainsString('retry_after', implode(' ', array_slice($lines, 5)));
        Snapshot::assertPrinted('bench queues', 'a table of fates', implode("\n", $lines));
    }

    #[Test]
    public function fates_that_were_not_seen_are_no_zeros(): void
    {
        $lines = self::lines(Scenario::Slow, [Made::finding([], refused: 'redis: gone')]);

        self::assertMatchesRegularExpression('/^redis +\D+ - +- +- +-$/', $lines[3]);
        self::assertSame(['', 'redis: gone'], array_slice($lines, 4));
    }

    #[Test]
    public function of_arrivals_the_waits_are_reported(): void
    {
        $lines = self::lines(Scenario::Arrivals, [
            Made::finding([Made::outcome(waits: [1.0, 2.0, 1_234.5])], 'a'),
            Made::finding([Made::outcome(1, [Fault::lost([1])])], 'b'),
        ]);

        self::assertSame(['p50 ms', 'p90 ms', 'p99 ms'], array_slice(self::cells($lines[2]), 1, 3));
        self::assertSame(['a', '2.00', '988', '1,210', '1,235', '1/1', '0', '0'], self::cells($lines[3]));
        self::assertSame(['b', '-', '-', '-', '-', '0/1', '1', '0'], self::cells($lines[4]));
    }

    #[Test]
    public function one_worker_stands_beside_its_figures(): void
    {
        $alone = static fn (Finding $finding): Finding => new Finding(
            $finding->variant->withWorkload($finding->variant->workload->by(1)),
            $finding->outcomes,
            $finding->rounds,
            $finding->refused,
        );

        $sqlite = $alone(Made::finding(Made::rates([620]), 'database:sqlite'));
        $quiet = $alone(Made::finding(Made::rates([620]), 'database:sqlite, --quiet'));
        $label = $sqlite->variant->label();
        $lines = self::lines(Scenario::Empty, [Made::finding(Made::rates([900])), $sqlite]);

        self::assertStringStartsWith('database:sqlite, ', $label);
        self::assertSame(
            [['redis', '900'], [$label, '620']],
            array_map(static fn (string $line): array => array_slice(self::cells($line), 0, 2), array_slice($lines, 3)),
        );
        self::assertStringContainsString(
            '  --quiet'.substr($label, strlen('database:sqlite')).'  ',
            implode("\n", self::lines(Scenario::Output, [$quiet])),
        );
        Snapshot::assertPrinted('bench queues', 'one worker', $label);
    }

    #[Test]
    public function a_wide_spread_is_explained(): void
    {
        $finding = Made::finding(Made::rates([1_000, 2_000]));
        $lines = implode(' ', self::lines(Scenario::Empty, [$finding]));

        self::assertMatchesRegularExpression(
            '/ redis \D+: \Q'.(new SpreadExplanation($finding))->words().'\E\.$/',
            $lines,
        );
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
        $outcomes = [
            ...array_map(
                static fn (float $rate): Outcome => Made::outcome($rate, waits: [0.001, 123_456.7]),
                [98_765.4, 123_456.7, 199_999.0],
            ),
            Made::outcome(1, [
                Fault::lost(range(1, 99_999)),
                Fault::double(range(1, 88_888)),
                Fault::workerEnded(1, str_repeat('words ', 99)),
            ]),
        ];
        $lines = self::lines($scenario, [
            Made::finding($outcomes, "{$name}file"),
            Made::finding($outcomes, "{$name}array"),
            Made::finding([], "{$name}x", Durability::EachJob, str_repeat('why ', 99)),
        ]);

        self::assertSame([], array_filter($lines, static fn (string $line): bool => mb_strwidth($line) > 80));
        self::assertStringContainsString($scenario->isAboutFates() ? '99,999' : '3/4', implode("\n", $lines));
    }

    #[Test]
    public function rows_of_a_driver_with_a_long_name_are_distinguished(): void
    {
        $names = [
            'database:the-reporting-department, CACHE_STORE=array',
            'database:the-reporting-department, CACHE_STORE=database',
            'redis, CACHE_STORE=array',
        ];

        $figures = ['1,000', '1,000', '1,000', '-', '1/1', '0', '0'];
        $lines = self::lines(
            Scenario::Cache,
            array_map(static fn (string $name): Finding => Made::finding(Made::rates([1_000]), $name), $names),
        );
        $rows = array_slice($lines, (int) array_search('', $lines, true) + 2);

        self::assertStringStartsWith('database:the-reporting-', $rows[0]);
        self::assertSame(
            [
                ['CACHE_STORE=array', ...$figures],
                ['CACHE_STORE=database', ...$figures],
                ['redis'],
                ['CACHE_STORE=array', ...$figures],
            ],
            array_map(self::cells(...), array_slice($rows, 1)),
        );
        self::assertStringStartsWith('  ', $rows[1]);
    }

    /** @return list<string> */
    private static function cells(string $line): array
    {
        $cells = preg_split('/ {2,}/', trim($line));

        return $cells === false ? [] : $cells;
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
