<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Dashboard;

use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * Each view shows what the server says, also what it says of an application without events and of a large one.
 */
final class ViewsTest extends TestCase
{
    #[Test]
    public function the_first_view_shows_totals_alerts_lines_buckets_and_machines(): void
    {
        $seen = DashboardBrowser::look([['await' => '.chart canvas'], ['text' => 'web-3'], ['see' => 'now']]);
        $now = $seen['states']['now'];

        self::assertSame(['Now', 'Now · Headroom · Shop'], [$now['heading'], $now['title']]);
        self::assertStringContainsString("accepted\n93,750,854", $now['text']);
        self::assertStringContainsString("oldest\n1 h 30 min", $now['text']);
        self::assertContains('H3 Nothing delivers: api-events', $now['headings']);
        self::assertContains('Copy php artisan spool:flush api-events', $now['buttons']);
        $buckets = $now['tables']['Buckets'];
        self::assertSame(
            ['fails', '1,204,311', '1,203,966', '48,211', '12 min 34 s', '37 of 41', '0', '41.5/s', '0/s'],
            array_slice($buckets[0], 1),
        );
        self::assertStringContainsString('php artisan spool:flush api-events', $buckets[1][0]);
        // Those with a problem come first.
        self::assertSame(['paused', 'delivers'], [$buckets[2][1], $buckets[4][1]]);
        self::assertSame(['fails', 'reports', 'silent'], array_column($now['tables']['Machines'], 1));
        self::assertStringContainsString("next flush\nin 31 s", $now['text']);
        self::assertSame(['accepted', 'delivered', 'waiting'], self::lines($now['charts']));
        // The minute that is not over has no point; the current rate has one.
        self::assertSame([59, 59, 59], array_column(array_merge(...array_column($now['charts'], 'lines')), 1));
        self::assertStringContainsString('waiting: 51,681', $now['charts'][1]['label']);
        DashboardBrowser::assertNothingWrong($seen);
    }

    #[Test]
    public function a_bucket_has_lines_failures_and_its_settings(): void
    {
        $seen = DashboardBrowser::look([
            ['await' => '.view:not([hidden]) .chart canvas'], ['text' => 'max_bytes'], ['see' => 'hour'],
            ['mark' => 'day'], ['focus' => 'input[value="360"]'], ['press' => 'ArrowRight'],
            ['until' => 'data/history', 'count' => 1], ['pause' => 0.5], ['see' => 'day'],
        ], at: '#/buckets/api-events');
        ['hour' => $hour, 'day' => $day] = $seen['states'];

        self::assertSame('api-events', $hour['heading']);
        self::assertSame(
            ['accepted', 'delivered', 'oldest', 'waiting', 'mean', 'largest', 'mean', 'slowest', 'attempts', 'failed'],
            self::lines($hour['charts']),
        );
        self::assertSame('44', $hour['tables']['Last failures of flushes'][0][2]);
        self::assertContains(['batch', '1000', 'default'], $hour['tables']['Settings in force']);
        self::assertContains(['table', 'api_events', 'configured'], $hour['tables']['Settings in force']);
        self::assertSame('#/buckets/api-events?minutes=1440', $day['hash']);
        self::assertStringContainsString(
            'bucket=api-events&minutes=1440',
            DashboardBrowser::requests($seen, 'data/history', $seen['marks']['day'])[0]['query'],
        );
        // 288 steps of five minutes, without the gap and the step that is not over, and the current value.
        self::assertContains($day['charts'][0]['lines'][0][1], [287, 288]);
        DashboardBrowser::assertNothingWrong($seen);
    }

    #[Test]
    public function dead_letters_are_found_by_text_and_by_kind(): void
    {
        $seen = DashboardBrowser::look([
            ['text' => '37 of 37'], ['click' => 'button.unfold'], ['see' => 'all'],
            ['click' => 'table a >> text=user_id'], ['text' => '7 dead letters found'], ['see' => 'kind'],
            ['fill' => '.view:not([hidden]) input[type=search]', 'with' => 'orders/33'], ['press' => 'Enter'],
            ['text' => '1 dead letter found'], ['see' => 'found'],
            ['reload' => true], ['text' => '1 dead letter found'], ['see' => 'again'],
            ['fill' => '.view:not([hidden]) input[type=search]', 'with' => 'nowhere'], ['press' => 'Enter'],
            ['text' => 'Nothing matches.'],
        ], at: '#/dead');
        ['all' => $all, 'kind' => $kind, 'found' => $found, 'again' => $again] = $seen['states'];

        self::assertSame('#/dead/api-events', $all['hash']);
        self::assertSame(['30', '7'], array_column($all['tables']['Kinds of dead letters'], 1));
        self::assertStringContainsString('"path": "/api/orders/0/lines"', $all['text']);
        self::assertStringContainsString("reason\nSQLSTATE[22001]", $all['text']);
        self::assertCount(7, $kind['tables']['Dead letters']);
        self::assertSame('#/dead/api-events?search=orders%2F33&kind=9bc2', $found['hash']);
        self::assertSame($found['tables']['Dead letters'], $again['tables']['Dead letters']);
        DashboardBrowser::assertNothingWrong($seen);
    }

    #[Test]
    public function more_than_one_page_of_dead_letters_is_read_on_request(): void
    {
        $letters = array_map(static fn (int $n): array => [
            'id' => "id-{$n}", 'event_id' => "event-{$n}", 'accepted_at' => '2026-11-28T12:00:00Z',
            'died_at' => '2026-11-28T12:00:00Z', 'sink' => 'database', 'reason' => 'refused', 'kind' => 'k',
            'event' => ['n' => $n], 'corrupt' => false,
        ], range(1, 120));
        $seen = DashboardBrowser::look([
            ['text' => '50 of 120'], ['click' => 'text=Show more'], ['text' => '100 of 120'],
            ['click' => 'text=Show more'], ['text' => '120 of 120'], ['mark' => 'read'], ['see' => 'all'],
        ], ['letters' => $letters, 'kinds' => [['kind' => 'k', 'reason' => 'refused', 'letters' => 120]]], '#/dead');
        $all = $seen['states']['all'];

        self::assertCount(120, $all['tables']['Dead letters']);
        self::assertNotContains('Show more', $all['buttons']);
        self::assertContains('20 more are shown.', $all['announced']);
        DashboardBrowser::assertNothingWrong($seen);
    }

    #[Test]
    public function waiting_events_and_the_machine_are_shown(): void
    {
        $seen = DashboardBrowser::look([
            ['text' => 'sealed'], ['click' => 'button.unfold'], ['see' => 'events'],
            ['goto' => '#/machine'], ['text' => 'keepalive'], ['mark' => 'one'],
            ['until' => 'data/machine', 'count' => 1], ['pause' => 0.5], ['see' => 'machine'],
        ], at: '#/events/api-events');
        ['events' => $events, 'machine' => $machine] = $seen['states'];

        self::assertSame(
            [
                '12 min 34 s',
                'sealed',
                'user_id: 0, event: api_call, path: /api/orders/0, token: [redacted], took_ms: 12.5',
            ],
            array_slice($events['tables']['Events waiting'][0], 1),
        );
        self::assertSame(
            ['unreadable', 'The frame has another checksum.'],
            array_slice($events['tables']['Events waiting'][7], 2),
        );
        self::assertStringContainsString('"took_ms": 12.5', $events['text']);
        // 7,000 events and 350 requests between two answers, which are about five seconds apart.
        [, , , $requests, $accepted] = $machine['tables']['Collectors'][0];
        self::assertGreaterThan(10, (float) $requests);
        self::assertGreaterThan(300, (float) str_replace(',', '', $accepted));
        self::assertSame(
            ['answers', 'answers', 'cURL error 28: Operation timed out'],
            array_column($machine['tables']['Queues'], 5),
        );
        self::assertSame(
            [
                'H3 N5 Idle connections of nginx hold the processes of PHP-FPM',
                'H3 L13 Every request writes debug messages to a file',
            ],
            array_slice($machine['headings'], -2),
        );
        self::assertStringContainsString('2 findings, 61 passed, 1 not known', $machine['text']);
        DashboardBrowser::assertNothingWrong($seen);
    }

    #[Test]
    #[TestWith(['now']), TestWith(['bucket']), TestWith(['dead']), TestWith(['events']), TestWith(['machine'])]
    public function an_address_reloads_to_the_same_view(string $view): void
    {
        [$fragment, $text] = DashboardBrowser::VIEWS[$view];
        $seen = DashboardBrowser::look([
            ['text' => $text], ['see' => 'first'], ['reload' => true], ['text' => $text], ['see' => 'second'],
        ], at: $fragment);
        $part = static fn (array $state): array
            => [$state['hash'], $state['heading'], $state['title'], $state['headings']];

        self::assertSame($part($seen['states']['first']), $part($seen['states']['second']));
        self::assertSame($fragment, $seen['states']['second']['hash']);
        DashboardBrowser::assertNothingWrong($seen);
    }

    #[Test]
    public function an_unknown_view_and_an_unknown_bucket_lead_back(): void
    {
        $seen = DashboardBrowser::look([
            ['text' => 'There is no such view'], ['goto' => '#/buckets/gone'], ['text' => 'no bucket of this name'],
            ['click' => 'text=See all buckets'], ['await' => '.chart canvas'], ['see' => 'now'],
        ], at: '#/nowhere/%E0%A4');

        self::assertSame('Now', $seen['states']['now']['heading']);
        // The bucket's own address answers 404, which the browser logs.
        self::assertSame(
            [],
            array_filter($seen['errors'], static fn (string $one): bool => ! str_contains($one, '404')),
        );
    }

    #[Test]
    public function empty_states_say_what_to_do_next(): void
    {
        $empty = [
            'buckets' => [], 'alerts' => [], 'nodes' => [], 'letters' => [], 'events' => [], 'minutes' => (object) [],
            'machine' => ['collectors' => [], 'queues' => []],
            'doctor' => [
                'state' => 'never',
                'started_at' => null,
                'finished_at' => null,
                'detail' => null,
                'report' => null,
            ],
        ];
        $seen = DashboardBrowser::look([
            ['text' => 'No machine has sent'], ['see' => 'now'],
            ['goto' => '#/dead'], ['text' => 'No bucket is declared'], ['goto' => '#/events'], ['pause' => 0.3],
            ['see' => 'events'],
            ['goto' => '#/machine'], ['text' => 'No collector runs'], ['see' => 'machine'],
            ['server' => ['buckets' => null]], ['goto' => '#/'], ['text' => 'page-views'],
            ['goto' => '#/dead/activity'], ['text' => 'No dead letters.'],
            ['goto' => '#/events/activity'], ['text' => 'No event waits.'],
        ], $empty);

        self::assertStringContainsString('No bucket is declared', $seen['states']['now']['text']);
        self::assertStringContainsString("'sink' => 'database'", $seen['states']['now']['text']);
        self::assertStringContainsString('Nothing was observed in this time', $seen['states']['now']['text']);
        self::assertNotContains('H2 Needs attention', $seen['states']['now']['headings']);
        self::assertStringContainsString('No bucket is declared', $seen['states']['events']['text']);
        self::assertStringContainsString('The doctor has not run from this page', $seen['states']['machine']['text']);
        self::assertStringContainsString('php artisan headroom:collect', $seen['states']['machine']['text']);
        DashboardBrowser::assertNothingWrong($seen);
    }

    #[Test]
    public function the_example_for_a_first_event_names_a_declared_bucket(): void
    {
        $unused = ['accepted' => 0, 'delivered' => 0] + self::bucket('api-events');
        $seen = DashboardBrowser::look(
            [['text' => 'No bucket has an event yet'], ['see' => 'now']],
            ['buckets' => [$unused]],
        );

        self::assertStringContainsString("Buffer::bucket('api-events')->add(", $seen['states']['now']['text']);
        DashboardBrowser::assertNothingWrong($seen);
    }

    #[Test]
    #[TestWith([1280]), TestWith([390])]
    public function two_hundred_buckets_with_long_names_fit(int $width): void
    {
        $names = array_map(
            static fn (int $n): string => str_pad("bucket-{$n}-", 100, 'n'),
            range(0, 199),
        );
        $seen = DashboardBrowser::look([
            ['text' => 'bucket-199-'], ['see' => 'all'],
            ['fill' => '.view:not([hidden]) input[type=search]', 'with' => 'bucket-77'],
            ['text' => '1 of 200'], ['see' => 'one'], ['goto' => "#/buckets/{$names[5]}"],
            ['text' => 'max_bytes'],
            ['see' => 'bucket'], ['goto' => '#/dead'], ['pause' => 0.5], ['see' => 'dead'],
        ], ['buckets' => array_map(self::bucket(...), $names)], width: $width);

        self::assertCount(200, $seen['states']['all']['tables']['Buckets']);
        self::assertCount(1, $seen['states']['one']['tables']['Buckets']);

        foreach ($seen['states'] as $name => $state) {
            self::assertSame([0, []], [$state['overflow'], $state['outside']], $name);
        }

        DashboardBrowser::assertNothingWrong($seen);
    }

    /** @return array<string, mixed> */
    private static function bucket(string $name): array
    {
        return [
            'bucket' => $name, 'sink' => 'database', 'store' => 'file', 'state' => 'ok', 'accepted' => 12,
            'delivered' => 12,
            'dead' => 0, 'dropped' => 0, 'pending' => 0, 'missing' => 0, 'letters' => 0, 'oldest_seconds' => null,
            'in_per_second' => null, 'out_per_second' => null, 'flushed_seconds' => null, 'used_bytes' => 0,
            'max_bytes' => null, 'durability' => 'process', 'paused' => null, 'problems' => [],
        ];
    }

    /**
     * @param list<array{label: string, lines: list<array{string, int}>, canvas: int}> $charts
     * @return list<string>
     */
    private static function lines(array $charts): array
    {
        return array_column(array_merge(...array_column($charts, 'lines')), 0);
    }
}
