<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Dashboard;

use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The page goes on by itself, leaves alone what the reader has in hand, and says when it cannot go on.
 */
final class LiveTest extends TestCase
{
    #[Test]
    public function numbers_change_in_place_and_the_reader_is_not_disturbed(): void
    {
        $changed = self::buckets(['pending' => 77_777, 'state' => 'late']);
        $seen = DashboardBrowser::look([
            ['await' => '.chart canvas'], ['click' => 'summary >> nth=0'], ['text' => 'time'],
            ['select' => 'h1'], ['scroll' => 300],
            ['focus' => 'tbody a'], ['see' => 'before'],
            ['server' => ['buckets' => $changed]], ['text' => '77,777'], ['pause' => 2.5], ['see' => 'after'],
        ], ['buckets' => self::buckets()]);
        ['before' => $before, 'after' => $after] = $seen['states'];

        self::assertSame(
            [$before['focus'], $before['selection'], $before['scroll'], $before['open']],
            [$after['focus'], $after['selection'], $after['scroll'], $after['open']],
        );
        self::assertSame(['a activity', 'Now', 1], [$after['focus'], $after['selection'], $after['open']]);
        self::assertContains('Bucket activity: late.', $after['announced']);
        self::assertStringContainsString('waiting: 77,777', $after['charts'][1]['label']);
        DashboardBrowser::assertNothingWrong($seen);
    }

    #[Test]
    public function a_change_of_numbers_alone_is_not_announced(): void
    {
        $seen = DashboardBrowser::look([
            ['text' => '345'], ['server' => ['buckets' => self::buckets(['pending' => 346])]], ['text' => '346'],
            ['pause' => 2.5], ['see' => 'after'],
        ], ['buckets' => self::buckets(), 'alerts' => []]);

        self::assertSame([], $seen['states']['after']['announced']);
    }

    #[Test]
    public function an_alert_is_announced_when_it_comes_and_when_it_goes(): void
    {
        $alert = [
            'cause' => 'disk_short', 'title' => 'Disk short', 'subject' => '',
            'message' => 'It has 1 GB left, by `df`.', 'fix' => 'Run `df -h`.', 'bucket' => null,
        ];
        $seen = DashboardBrowser::look([
            ['text' => 'activity'], ['pause' => 1], ['server' => ['alerts' => [$alert]]], ['text' => 'Disk short'],
            ['see' => 'short'], ['server' => ['alerts' => []]], ['without' => 'Disk short'], ['see' => 'well'],
        ], ['buckets' => self::buckets(), 'alerts' => []]);

        self::assertSame(['Disk short: It has 1 GB left, by df.'], $seen['states']['short']['announced']);
        self::assertStringNotContainsString('`', $seen['states']['short']['text']);
        self::assertContains('Copy df -h', $seen['states']['short']['buttons']);
        self::assertSame('All is well again.', $seen['states']['well']['announced'][1]);
    }

    #[Test]
    public function a_slow_server_never_has_two_questions_at_once(): void
    {
        $seen = DashboardBrowser::look(
            [['pause' => 9], ['hide' => true], ['hide' => false], ['pause' => 4]],
            ['delay' => 2_500],
        );
        $answers = DashboardBrowser::requests($seen, 'data/now');

        self::assertGreaterThanOrEqual(2, count($answers));

        foreach (array_slice($answers, 1) as $at => $request) {
            self::assertGreaterThanOrEqual($answers[$at]['until'], $request['at']);
        }
    }

    #[Test]
    public function a_hidden_page_asks_nothing_and_goes_on_at_once(): void
    {
        $seen = DashboardBrowser::look([
            ['text' => 'Live,'], ['hide' => true], ['pause' => 1], ['mark' => 'hidden'], ['pause' => 5],
            ['mark' => 'visible'], ['hide' => false], ['until' => 'data/now', 'count' => 1], ['pause' => 0.3],
        ]);
        ['hidden' => $hidden, 'visible' => $visible] = $seen['marks'];
        $first = DashboardBrowser::requests($seen, 'data/now', $visible)[0];

        self::assertSame($hidden, $visible);
        self::assertLessThan(2_000, $first['at'] - $seen['requests'][$visible]['at']);
    }

    #[Test]
    public function a_server_that_is_down_leaves_the_numbers_and_is_asked_more_slowly(): void
    {
        $seen = DashboardBrowser::look([
            ['await' => '.chart canvas'], ['text' => 'web-3'], ['mark' => 'down'], ['server' => ['down' => true]],
            ['text' => 'Not refreshed since'], ['pause' => 14], ['see' => 'down'],
            ['focus' => '#problem button'], ['mark' => 'up'],
            ['server' => ['down' => false], 'press' => 'Enter'], ['without' => 'Not refreshed since'],
            ['see' => 'up'],
        ]);
        ['down' => $down, 'up' => $up] = $seen['states'];

        self::assertStringContainsString(
            'The server cannot be reached. Not refreshed since',
            (string) $down['problem'],
        );
        self::assertSame($up['tables']['Buckets'], $down['tables']['Buckets']);
        self::assertCount(2, $down['charts']);
        self::assertStringStartsWith('Live,', (string) $up['live']);
        self::assertNull($up['problem']);
        self::assertContains('The page is live again.', $up['announced']);
        $while = array_slice($seen['requests'], 0, $seen['marks']['up']);
        $asked = array_column(
            DashboardBrowser::requests(['requests' => $while] + $seen, 'data/now', $seen['marks']['down']),
            'at',
        );
        $gaps = array_map(
            static fn (float $at, float $next): float => $next - $at,
            array_slice($asked, 0, -1),
            array_slice($asked, 1),
        );
        // After 2, 4 and 8 seconds, and not each two.
        self::assertGreaterThan(4_500, max([0, ...$gaps]));
    }

    #[Test]
    public function a_failing_application_is_told_with_its_words(): void
    {
        $seen = DashboardBrowser::look(
            [['text' => 'The application has failed'], ['see' => 'first']],
            ['status' => 503],
        );
        $first = $seen['states']['first'];

        self::assertStringContainsString('Nothing was read yet.', (string) $first['problem']);
        self::assertStringContainsString('Read its log.', (string) $first['problem']);
        self::assertSame('Not connected', $first['live']);
    }

    #[Test]
    public function a_database_that_is_down_takes_only_the_other_machines(): void
    {
        $seen = DashboardBrowser::look([
            ['text' => 'web-3'], ['server' => ['database' => false, 'renewal' => 500]], ['hide' => true],
            ['hide' => false],
            ['text' => 'does not answer'], ['pause' => 2.5], ['see' => 'down'],
            ['server' => ['database' => true]], ['hide' => true], ['hide' => false],
            ['without' => 'does not answer'], ['see' => 'up'],
        ]);
        ['down' => $down, 'up' => $up] = $seen['states'];

        self::assertCount(3, $down['tables']['Machines']);
        self::assertMatchesRegularExpression('/Connection refused\.? Not refreshed since/', $down['text']);
        self::assertStringStartsWith('Live,', (string) $down['live']);
        self::assertSame(array_column($up['tables']['Machines'], 0), array_column($down['tables']['Machines'], 0));
        DashboardBrowser::assertNothingWrong($seen);
    }

    #[Test]
    public function a_clock_that_is_set_back_breaks_no_line_and_no_rate(): void
    {
        $seen = DashboardBrowser::look([
            ['await' => '.chart canvas'], ['server' => ['offset' => -5_400]], ['mark' => 'back'],
            ['until' => 'data/now', 'count' => 2], ['pause' => 0.5], ['see' => 'between'],
            ['hide' => true], ['hide' => false], ['until' => 'data/history', 'count' => 1], ['pause' => 0.5],
            ['see' => 'back'],
            ['server' => ['offset' => 7_200]], ['hide' => true], ['hide' => false], ['pause' => 3], ['see' => 'ahead'],
            ['goto' => '#/machine'], ['text' => 'keepalive'], ['pause' => 6], ['see' => 'machine'],
        ]);

        foreach ($seen['states'] as $name => $state) {
            self::assertTrue($state['order'], $name);
            self::assertStringNotContainsString('NaN', $state['text'], $name);
            self::assertDoesNotMatchRegularExpression('/(?:^|[\s(])-\d/m', $state['text'], $name);
        }

        self::assertGreaterThan(50, $seen['states']['back']['charts'][0]['lines'][0][1]);
        self::assertGreaterThan(50, $seen['states']['ahead']['charts'][0]['lines'][0][1]);
        DashboardBrowser::assertNothingWrong($seen);
    }

    #[Test]
    public function an_open_dead_letter_stays_when_it_is_gone(): void
    {
        $letter = static fn (string $id): array => [
            'id' => $id, 'event_id' => $id, 'accepted_at' => '2026-11-28T12:00:00Z',
            'died_at' => '2026-11-28T12:00:00Z',
            'sink' => 'database', 'reason' => 'refused', 'kind' => 'k', 'event' => ['id' => $id], 'corrupt' => false,
        ];
        $kinds = [['kind' => 'k', 'reason' => 'refused', 'letters' => 2]];
        $seen = DashboardBrowser::look([
            ['text' => '2 of 2'], ['click' => 'button.unfold'],
            ['server' => ['letters' => [$letter('other')], 'fresh' => true]],
            ['hide' => true], ['hide' => false], ['text' => 'no dead letter any more'], ['see' => 'gone'],
        ], ['letters' => [$letter('mine'), $letter('other')], 'kinds' => $kinds], '#/dead/activity');

        self::assertSame(1, $seen['states']['gone']['open']);
        self::assertStringContainsString('"id": "mine"', $seen['states']['gone']['text']);
        DashboardBrowser::assertNothingWrong($seen);
    }

    /**
     * @param array<string, mixed> $changes of the first
     * @return list<array<string, mixed>>
     */
    private static function buckets(array $changes = []): array
    {
        $bucket = [
            'bucket' => 'activity', 'sink' => 'database', 'store' => 'file', 'state' => 'ok', 'accepted' => 12,
            'delivered' => 12,
            'dead' => 0, 'dropped' => 0, 'pending' => 345, 'missing' => 0, 'letters' => 0, 'oldest_seconds' => 1.0,
            'in_per_second' => 1.5, 'out_per_second' => 1.5, 'flushed_seconds' => 1.0, 'used_bytes' => 0,
            'max_bytes' => null, 'durability' => 'process', 'paused' => null, 'problems' => [],
        ];

        return [[...$bucket, ...$changes], [...$bucket, 'bucket' => 'mails', 'pending' => 0]];
    }
}
