<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Clients;

use Headroom\Process\Ports;
use Headroom\Tests\Acceptance\Collector\Clients\Support\Guide;
use Headroom\Tests\Acceptance\Collector\Clients\Support\Shell;
use Headroom\Tests\Acceptance\Collector\Clients\Support\Station;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * A page of another origin in a real Chromium.
 */
final class BrowserTest extends TestCase
{
    #[Test, Group('day-1')]
    public function fetch_asks_first_and_then_sends(): void
    {
        $station = Station::open();
        $seen = $this->visit($station, (new Guide)->examples('In a browser', 'js')[0], 1);

        self::assertSame([], $seen['errors']);
        self::assertIsArray($seen['told']);
        self::assertSame(202, $seen['told'][0] ?? null, (string) json_encode($seen));
        self::assertContains('POST', array_column($seen['requests'], 'method'));
        self::assertSame(
            ['page.viewed', 'web', ['path' => '/cart'], null],
            [
                $station->row()['type'],
                $station->row()['source'],
                $station->row()['data'],
                $station->row()['extensions'],
            ],
        );
    }

    #[Test]
    #[Group('proof')]
    public function a_beacon_gets_through_when_the_page_is_left(): void
    {
        $station = Station::open();
        $seen = $this->visit($station, (new Guide)->examples('In a browser', 'js')[1], 1);

        self::assertSame([], $seen['errors']);
        self::assertSame(
            ['page.left', 'web', ['path' => '/cart']],
            [$station->row()['type'], $station->row()['source'], $station->row()['data']],
            (string) json_encode($seen),
        );
        self::assertStringContainsString(
            'headroom_http_requests_total{code="204"} 1',
            (string) file_get_contents("http://{$station->collector->admin()}/metrics"),
        );
    }

    #[Test]
    #[Group('proof')]
    public function a_key_for_one_origin_serves_it_and_no_other(): void
    {
        $port = Ports::free();
        $station = Station::open(['--origin', "http://127.0.0.1:{$port}", '--type', 'page.*']);
        $fetch = (new Guide)->examples('In a browser', 'js')[0];

        $there = $this->visit($station, $fetch, 1, $port);
        self::assertSame(202, $there['told'][0] ?? null, (string) json_encode($there));
        $elsewhere = $this->visit($station, $fetch, 0);
        // The page may read why.
        self::assertSame(
            [403, 'origin_not_allowed'],
            [
                $elsewhere['told'][0] ?? null,
                is_array($elsewhere['told'][1] ?? null) ? $elsewhere['told'][1]['code'] ?? null : null,
            ],
            (string) json_encode($elsewhere),
        );
        self::assertSame(['page.viewed'], array_column($station->rows(), 'type'));
    }

    #[Test, Group('day-2')]
    public function a_collector_for_one_origin_lets_no_other_page_send(): void
    {
        $station = Station::open(collector: ['intake' => ['origins' => ['https://shop.example.com']]]);
        $seen = $this->visit($station, (new Guide)->examples('In a browser', 'js')[0], 0);

        self::assertStringContainsString('Failed to fetch', (string) json_encode($seen['told']));
        self::assertStringContainsString('CORS policy', implode("\n", $seen['errors']));
        self::assertSame([], $station->rows());
    }

    #[Test]
    #[Group('proof')]
    public function an_image_of_the_page_is_an_event(): void
    {
        $station = Station::open(collector: ['intake' => ['pixel' => true]]);
        $script = <<<'JS'
            const image = new Image();
            await new Promise((done, failed) => { image.onload = done; image.onerror = failed; image.src = `${EVENTS_URL}/v1/p.gif?writeKey=${EVENTS_KEY}&type=mail.opened&subject=user%2F7&campaign=${encodeURIComponent('Grüße')}`; });
            told.push(image.naturalWidth);
            JS;
        $seen = $this->visit($station, $script, 1);

        self::assertSame([1], $seen['told']);
        self::assertSame(
            ['mail.opened', 'user/7', ['campaign' => 'Grüße']],
            [$station->row()['type'], $station->row()['subject'], $station->row()['data']],
        );
    }

    /** @param list<string> $paths that it sends to */
    #[Test, Group('day-3')]
    #[TestWith(['standard', ['/v1/i', '/v1/p', '/v1/t']])]
    #[TestWith(['batching', ['/v1/b']])]
    public function segments_library_for_browsers_sends_here(string $strategy, array $paths): void
    {
        $station = Station::open();
        $script = <<<'JS'
            const { AnalyticsBrowser } = window.AnalyticsNext;
            const host = `${new URL(EVENTS_URL).host}/v1`;
            const analytics = AnalyticsBrowser.load(
                { writeKey: EVENTS_KEY, cdnSettings: { integrations: { 'Segment.io': { apiKey: EVENTS_KEY, apiHost: host, protocol: 'http' } } } },
                { integrations: { 'Segment.io': { apiHost: host, protocol: 'http', deliveryStrategy: { strategy: STRATEGY, config: { size: 3, timeout: 500 } } } } },
            );
            await analytics.identify('user-1', { plan: 'pro' });
            await analytics.page('Cart');
            await analytics.track('Order Completed', { revenue: 39.95 });
            told.push('done');
            JS;
        $library = Shell::client('@segment/analytics-next/dist/umd/index.js');
        $seen = $this->visit($station, str_replace('STRATEGY', "'{$strategy}'", $script), 3, 0, [
            'EVENTS_LIBRARY' => $library,
        ]);
        $asked = array_unique(array_column($seen['requests'], 'path'));
        sort($asked);

        self::assertSame(['done'], $seen['told'], (string) json_encode($seen));
        self::assertSame($paths, array_values(array_diff($asked, ['/v1/m'])));
        $sent = array_filter($station->rows(), static fn (array $row): bool => $row['type'] !== 'metric');
        self::assertEqualsCanonicalizing(['identify', 'page', 'Order Completed'], array_column($sent, 'type'));
        // Known by the key in the body.
        self::assertSame(['web', 'web', 'web'], array_column($sent, 'key'));
        self::assertStringNotContainsString($station->key, implode("\n", $station->lines()));
    }

    /**
     * @param array<string, string> $env
     * @return array{
     *     origin: string,
     *     told: ?list<mixed>,
     *     requests: list<array{method: string, type: string, path: string}>,
     *     errors: list<string>,
     * }
     */
    private function visit(Station $station, string $script, int $awaited, int $port = 0, array $env = []): array
    {
        /**
         * @var array{
         *     origin: string,
         *     told: ?list<mixed>,
         *     requests: list<array{method: string, type: string, path: string}>,
         *     errors: list<string>,
         * } $seen tests/Clients/browser.mjs prints it
         */
        $seen = json_decode(
            Shell::browser(
                $env + $station->env()
                    + [
                        'EVENTS_SCRIPT' => $script,
                        'EVENTS_PORT' => (string) $port,
                        'EVENTS_ADMIN' => "http://{$station->collector->admin()}",
                        'EVENTS_AWAITED' => (string) $awaited,
                    ],
            ),
            true,
            flags: JSON_THROW_ON_ERROR,
        );

        return $seen;
    }
}
