<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance;

use Headroom\Host\WebStack;
use Headroom\Load\Executor\LoadGenerator;
use Headroom\Load\Plan;
use Headroom\Tests\Acceptance\AccessLog\AccessLog;
use Headroom\Tests\Acceptance\AccessLog\Killer;
use Headroom\Tests\Acceptance\AccessLog\Posts;
use Headroom\Tests\Laravel\WorkbenchDatabase;
use Headroom\Tests\Support\MissingServer;
use Headroom\Tests\Support\Sample;
use PDO;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Workbench\Rig\Rig;

/**
 * Real requests through nginx and FPM workers into MariaDB byte for byte, while workers and flushers are killed, and
 * into a bucket that makes UTF-8 of them: ten thousand and four thousand in `make proof`.
 */
final class RealTrafficTest extends TestCase
{
    private const WORKERS = [8, 50];

    private const CONNECTIONS = [16, 100];

    private const COLUMNS = ['ip', 'time', 'method', 'path', 'referer', 'agent'];

    private Rig $rig;

    private PDO $database;

    protected function setUp(): void
    {
        $variables = WorkbenchDatabase::MariaDb->environment();
        WebStack::isInstalled()
            || MissingServer::named('fpm', 'Needs nginx and PHP-FPM: bin/services install nginx fpm');

        $this->rig = new Rig($variables);
        $this->database = new PDO(
            "mysql:host={$variables['DB_HOST']};port={$variables['DB_PORT']};dbname={$variables['DB_DATABASE']};charset=utf8mb4",
            $variables['DB_USERNAME'],
            $variables['DB_PASSWORD'],
        );
    }

    protected function tearDown(): void
    {
        if (isset($this->rig)) {
            $this->rig->remove();
        }
    }

    /** @return array<string, array{array{int<1, max>, int<1, max>}, string, string, string, bool}> */
    public static function buckets(): array
    {
        return Sample::of([
            'bytes' => [[600, 10_000], 'page-views-binary', 'buffered-binary', 'page_views_binary', true],
            'UTF-8' => [[600, 4_000], 'page-views', 'buffered', 'page_views', false],
        ], 1);
    }

    /** @param array{int<1, max>, int<1, max>} $counts sampled, and whole */
    #[Test]
    #[DataProvider('buckets')]
    public function every_acknowledged_event_arrives_once_and_intact(
        array $counts,
        string $bucket,
        string $endpoint,
        string $table,
        bool $isBinary,
    ): void {
        $count = max(1, Sample::number(...$counts));
        $seed = random_int(1, PHP_INT_MAX);
        $events = (new AccessLog($seed))->events($count);
        $this->rig->prepare();
        $stack = $this->rig->serve(Sample::number(...self::WORKERS));
        self::assertInstanceOf(WebStack::class, $stack);
        $killer = new Killer($stack, $this->rig, $seed);

        try {
            $result = (new LoadGenerator)->run(
                Plan::everything(concurrency: max(1, Sample::number(...self::CONNECTIONS)), timeout: 30),
                new Posts("{$stack->url()}/events/{$endpoint}", $events),
                $killer,
            );
        } finally {
            $killer->endFlusher();
            $stack->stop();
        }

        $told = "seed {$seed}, ".json_encode($killer->outcomes)
            .", {$killer->workersKilled} workers and {$killer->flushersKilled} flushers killed";
        self::assertSame(count($events), $result->finished(), $told);
        self::assertGreaterThan($count / 500, $killer->workersKilled, $told);
        self::assertGreaterThan($count / 2_000, $killer->flushersKilled, $told);
        self::assertGreaterThan($count * 0.9, count($killer->acknowledged), $told);

        $this->rig->artisan('spool:flush', $bucket);
        $this->assertRows($table, $events, $killer, $isBinary, $told);
        $this->assertAccounts($bucket, $table, $told);
    }

    /** @param list<array<string, string>> $events */
    private function assertRows(string $table, array $events, Killer $killer, bool $isBinary, string $told): void
    {
        $rows = [];

        foreach ($this->query("select * from {$table}") as $row) {
            $rows[(string) $row['seq']][] = $row;
        }

        foreach ($events as $number => $event) {
            $copies = count($rows[$event['id']] ?? []);

            if (isset($killer->acknowledged[$number])) {
                self::assertGreaterThanOrEqual(1, $copies, "{$event['id']} was acknowledged and is lost; {$told}");
            }

            // A request that libcurl had to send twice is two requests to the application.
            self::assertLessThanOrEqual(
                isset($killer->resent[$number]) ? 2 : 1,
                $copies,
                "{$event['id']} arrived {$copies} times; {$told}",
            );

            foreach ($rows[$event['id']] ?? [] as $row) {
                foreach (self::COLUMNS as $column) {
                    $expected = $isBinary ? $event[$column] : self::withReplacementCharacters($event[$column]);
                    self::assertSame(
                        bin2hex($expected),
                        bin2hex((string) $row[$column]),
                        "{$column} of {$event['id']}; {$told}",
                    );
                }

                self::assertSame(
                    [$event['status'], $event['bytes'] === '' ? null : $event['bytes']],
                    [(string) $row['status'], $row['bytes'] === null ? null : (string) $row['bytes']],
                    $event['id'],
                );
            }
        }
    }

    private function assertAccounts(string $bucket, string $table, string $told): void
    {
        $status = $this->rig->status($bucket);
        $count = (int) $this->query("select count(*) as rows_there from {$table}")[0]['rows_there'];

        self::assertSame($count, $status['delivered'], $told);
        self::assertSame(
            $status['accepted'],
            array_sum(array_intersect_key($status, ['delivered' => 0, 'dead' => 0, 'dropped' => 0, 'pending' => 0])),
            $told,
        );
        self::assertSame([0, 0, 0], [$status['pending'], $status['missing'], $status['damaged']], $told);
    }

    private static function withReplacementCharacters(string $text): string
    {
        $before = mb_substitute_character();
        mb_substitute_character(0xFFFD);
        $scrubbed = mb_scrub($text, 'UTF-8');
        mb_substitute_character($before);

        return $scrubbed;
    }

    /** @return list<array<string, string|int|null>> */
    private function query(string $sql): array
    {
        $statement = $this->database->query($sql);
        self::assertNotFalse($statement);

        /** @var list<array<string, string|int|null>> */
        return $statement->fetchAll(PDO::FETCH_ASSOC);
    }
}
