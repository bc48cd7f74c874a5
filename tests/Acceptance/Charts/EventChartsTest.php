<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Charts;

use Headroom\Charts\ChartResponse;
use Headroom\Charts\EventCharts;
use Headroom\Core\SystemClock;
use Headroom\Process\Ports;
use Headroom\Support\ConfigReader;
use Headroom\Tests\Acceptance\AccessLog\AccessLog;
use Headroom\Tests\Contract\Support\ScriptedServer;
use Headroom\Tests\Support\OpenSearch\EventStreams;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * The answers of a real index equal the events that were sent to it, counted in another way.
 */
#[Group('snapshot')]
final class EventChartsTest extends TestCase
{
    private const STREAM = 'headroom-chart-tests';

    private const ACTIONS = ['page.', 'user.'];

    private static ?ConfigReader $bucket = null;

    private static ?SiteEvents $site = null;

    private static ?EventStreams $server = null;

    public static function tearDownAfterClass(): void
    {
        self::$server?->remove(self::STREAM);
        self::$bucket = self::$site = self::$server = null;
    }

    protected function setUp(): void
    {
        if (! AccessLog::isReal()) {
            self::markTestSkipped('The access log is not there: it is among the fixtures (HEADROOM_FIXTURES).');
        }
    }

    /**
     * @param 'type'|'source'|'key' $split
     * @param callable(string): bool $isIn by type
     */
    #[Test, Group('day-1')]
    #[DataProvider('questions')]
    public function each_number_is_that_of_the_log(string $parameters, string $split, callable $isIn, int $top): void
    {
        $answer = $this->ask("from=2015-05-17T00:00:00Z&to=2015-05-22T00:00:00Z&top={$top}&{$parameters}");
        $expected = self::site()->count($split, static fn (array $event): bool => $isIn($event['type']));
        $named = array_column($answer['series'], 'total', 'name');
        ksort($named);
        arsort($named);

        self::assertSame(array_slice($expected, 0, $top), $named);
        self::assertSame(array_sum(array_slice($expected, $top)), $answer['others']['total'] ?? 0);
        self::assertSame(array_sum($expected), $answer['total']);
        self::assertFalse($answer['partial']);

        foreach ([...$answer['series'], ...($answer['others'] === null ? [] : [$answer['others']])] as $series) {
            self::assertCount(count($answer['times']), $series['counts']);
            self::assertSame($series['total'], array_sum($series['counts']));
        }
    }

    /** @return iterable<string, array{string, string, callable(string): bool, int}> */
    public static function questions(): iterable
    {
        $isAction = static fn (string $type): bool => str_starts_with($type, 'page.')
            || str_starts_with($type, 'user.');
        $all = static fn (): bool => true;

        yield 'all by type' => ['', 'type', $all, 20];
        yield 'business events, and what is neither' => [
            'group=business', 'type', static fn (string $type): bool => ! $isAction($type) && $type !== 'log', 20,
        ];
        yield 'end-user actions' => ['group=actions', 'type', $isAction, 8];
        yield 'the first two and others' => ['group=actions', 'type', $isAction, 2];
        yield 'one, the rest together' => ['', 'type', $all, 1];
        yield 'by source' => ['split=source', 'source', $all, 8];
        yield 'by key, which some have not' => ['split=key', 'key', $all, 8];
        yield 'by the beginning of the type' => [
            'prefix=page.', 'type', static fn (string $type): bool => str_starts_with($type, 'page.'), 8,
        ];
        yield 'a beginning that is no pattern' => ['prefix=p*', 'type', static fn (): bool => false, 8];
    }

    #[Test]
    public function a_range_includes_its_beginning_and_not_its_end(): void
    {
        [$from, $to] = [strtotime('2015-05-18T03:05:08Z'), strtotime('2015-05-18T23:05:08Z')];
        $answer = $this->ask('from=2015-05-18T03:05:08Z&to=2015-05-18T23:05:08Z&interval=3600');
        $hours = array_fill_keys(range(intdiv($from, 3_600), intdiv($to - 1, 3_600)), 0);

        foreach (self::site()->events as $event) {
            if ($event['time'] >= $from && $event['time'] < $to) {
                $hours[intdiv($event['time'], 3_600)]++;
            }
        }

        self::assertSame(
            array_map(static fn (int $hour): int => $hour * 3_600_000, array_keys($hours)),
            $answer['times'],
        );
        $sums = array_map(
            static fn (int ...$counts): int => array_sum($counts),
            ...array_column(
                [...$answer['series'], ...($answer['others'] === null ? [] : [$answer['others']])],
                'counts',
            ),
        );
        self::assertSame(array_values($hours), $sums);
        self::assertNotContains(0, $hours);
    }

    #[Test]
    public function days_begin_at_midnight_where_the_reader_is(): void
    {
        $answer = $this->ask('from=2015-05-17T00:00:00Z&to=2015-05-22T00:00:00Z&interval=86400&zone=Asia/Tokyo');

        self::assertSame(strtotime('2015-05-17T00:00:00+09:00') * 1_000, $answer['times'][0]);
        $days = [];

        foreach (self::site()->events as $event) {
            $day = gmdate('m-d', $event['time'] + 9 * 3_600);
            $days[$day] = ($days[$day] ?? 0) + 1;
        }

        $sums = array_map(
            static fn (int ...$counts): int => array_sum($counts),
            ...array_column(
                [...$answer['series'], ...($answer['others'] === null ? [] : [$answer['others']])],
                'counts',
            ),
        );
        self::assertSame(
            array_values($days),
            array_values(array_filter($sums, static fn (int $sum): bool => $sum > 0)),
        );
    }

    #[Test]
    public function a_range_with_nothing_in_it_has_its_points_all_the_same(): void
    {
        $answer = $this->ask('from=2001-01-01T00:00:00Z&to=2001-01-02T00:00:00Z');

        self::assertSame([0, [], null], [$answer['total'], $answer['series'], $answer['others']]);
    }

    #[Test]
    #[TestWith(['range=1h'])]
    #[TestWith(['range=30d'])]
    #[TestWith(['from=2006-01-01T00:00:00Z&to=2015-12-31T00:00:00Z'])]
    public function there_are_never_more_than_two_hundred_points(string $range): void
    {
        $count = count($this->ask($range)['times']);

        self::assertGreaterThan(50, $count);
        self::assertLessThanOrEqual(200, $count);
    }

    #[Test]
    public function a_missing_index_is_a_problem_that_says_how_to_make_it(): void
    {
        $answer = $this->charts(new ConfigReader(['url' => self::server()->url, 'index' => 'headroom-nothing'], 'x'))
            ->answer([]);

        self::assertSame([503, 'application/problem+json'], [$answer->status, $answer->type]);
        self::assertMatchesRegularExpression("/'headroom-nothing'.*`headroom:collect:install`/", self::detail($answer));
        Snapshot::assertPrinted('problems of the charts', 'there is no index', $answer->body);
    }

    #[Test]
    public function fields_that_are_no_keywords_are_a_problem_that_says_which(): void
    {
        $server = self::server();
        $server->send(
            'PUT',
            '/headroom-plain',
            '{"mappings":{"properties":{"@timestamp":{"type":"date"},"type":{"type":"text"}}}}',
        );
        $server->send(
            'POST',
            '/headroom-plain/_doc?refresh=true',
            '{"@timestamp":"2026-01-01T00:00:00Z","type":"a b"}',
        );

        try {
            $answer = $this->charts(new ConfigReader(['url' => $server->url, 'index' => 'headroom-plain'], 'x'))
                ->answer(['from' => '2026-01-01T00:00:00Z', 'to' => '2026-01-02T00:00:00Z']);
        } finally {
            $server->send('DELETE', '/headroom-plain');
        }

        self::assertSame(502, $answer->status);
        self::assertMatchesRegularExpression("/@timestamp.*'headroom-plain'/", self::detail($answer));
        Snapshot::assertPrinted('problems of the charts', 'fields are no keywords', $answer->body);
    }

    #[Test]
    public function a_server_that_is_not_there_is_a_problem_without_its_secrets(): void
    {
        $address = '127.0.0.1:'.Ports::free();
        $answer = $this->charts(new ConfigReader(
            ['url' => "http://{$address}", 'index' => 'a', 'auth' => ['basic' => 'me:hunter2']],
            'x',
        ))->answer([]);

        self::assertSame(503, $answer->status);
        self::assertStringContainsString($address, self::detail($answer));
        self::assertStringNotContainsString('hunter2', $answer->body);
    }

    /** @param array<string, mixed> $act */
    #[Test, Group('day-2')]
    #[TestWith([['status' => 401], 502, '401'])]
    #[TestWith([['status' => 429], 503, '429'])]
    #[TestWith([['status' => 200, 'keeps' => false, 'body' => '<html>a login page</html>'], 502, 'JSON'])]
    #[TestWith([['status' => 200, 'keeps' => false, 'body' => '{"took":1}'], 502, 'aggregations.all.buckets'])]
    #[TestWith([
        [
            'status' => 200,
            'keeps' => false,
            'body' => '{"aggregations":{"all":{"buckets":[{"key":"x"}]},"top":{"buckets":[]}}}',
        ],
        502,
        'an interval without a time',
    ])]
    #[TestWith([['status' => 404, 'body' => '{"error":"secret <b>words</b>"}'], 502, '404'])]
    public function an_answer_that_is_none_is_a_problem(array $act, int $status, string $said): void
    {
        $server = ScriptedServer::start();

        try {
            $server->next($act);
            $answer = $this->charts(new ConfigReader(['url' => $server->url(''), 'index' => 'a'], 'x'))->answer([]);
        } finally {
            $server->stop();
        }

        self::assertSame($status, $answer->status, $answer->body);
        self::assertStringContainsString($said, self::detail($answer));
        self::assertStringNotContainsString('<b>', self::detail($answer));
    }

    /**
     * @return array{
     *     total: int,
     *     partial: bool,
     *     times: list<int>,
     *     series: list<array{name: string, total: int, counts: list<int>}>,
     *     others: ?array{total: int, counts: list<int>},
     * }
     */
    private function ask(string $parameters): array
    {
        parse_str($parameters, $asked);
        $answer = $this->charts(self::bucket())->answer($asked);
        self::assertSame(200, $answer->status, $answer->body);

        /**
         * @var array{
         *     total: int,
         *     partial: bool,
         *     times: list<int>,
         *     series: list<array{name: string, total: int, counts: list<int>}>,
         *     others: ?array{total: int, counts: list<int>},
         * } $read
         */
        $read = json_decode($answer->body, true, flags: JSON_THROW_ON_ERROR);

        return $read;
    }

    private function charts(ConfigReader $bucket): EventCharts
    {
        return EventCharts::fromOptions($bucket, self::ACTIONS, new SystemClock);
    }

    private static function detail(ChartResponse $answer): string
    {
        $read = json_decode($answer->body, true);

        return is_array($read) && is_string($read['detail'] ?? null) ? $read['detail'] : '';
    }

    private static function server(): EventStreams
    {
        return self::$server ??= EventStreams::get();
    }

    private static function site(): SiteEvents
    {
        return self::$site ??= SiteEvents::read();
    }

    private static function bucket(): ConfigReader
    {
        if (self::$bucket === null) {
            self::server()->remove(self::STREAM);
            self::$bucket = self::server()->installed(self::STREAM);
            self::server()->fill(self::STREAM, self::site()->documents());
        }

        return self::$bucket;
    }
}
