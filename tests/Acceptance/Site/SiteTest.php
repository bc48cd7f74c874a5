<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Site;

use Headroom\Dev\BuiltInServer;
use Headroom\Tests\Acceptance\Charts\Browser;
use Headroom\Tests\Architecture\Files;
use PHPUnit\Framework\Attributes\AfterClass;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The documentation's site as `make docs` builds it, in a browser on a phone and on a desk.
 *
 * @phpstan-import-type Seen from Browser
 * @phpstan-import-type SitePage from Browser
 */
#[Group('proof')]
final class SiteTest extends TestCase
{
    private const PAGES = ['/', '/quickstart', '/configuration', '/failure-model', '/checks/N5', '/checks/', '/readme'];

    private const SEARCH = '#localsearch-input';

    private static ?BuiltInServer $server = null;

    #[AfterClass]
    public static function stop(): void
    {
        self::$server?->stop();
        self::$server = null;
    }

    #[Test]
    public function the_build_has_each_check_each_decision_and_each_report(): void
    {
        self::assertMatchesRegularExpression(
            '/^\d+ pages, \d+ links, anchors and images: each leads to something/m',
            BuiltSite::build(),
        );
        $expected = array_filter(
            [...Files::in('resources/checks'), ...Files::in('docs/adr'), ...Files::in('benchmarks/results')],
            static fn (string $path): bool => preg_match('~\.md$|(?<!-quick)\.html$~', $path) === 1
                && preg_match('~/0000-|README~', $path) === 0,
        );
        self::assertGreaterThan(100, count($expected));

        foreach ($expected as $path) {
            $page = preg_replace(
                ['~^(?:resources|docs)/~', '~^benchmarks/results/~', '~\.md$~'],
                ['', 'reports/', '.html'],
                $path,
            );
            self::assertFileExists(BuiltSite::directory()."/{$page}");
        }

        self::assertFileEquals(
            Files::root().'/docs/collector.openapi.json',
            BuiltSite::directory().'/collector.openapi.json',
        );
    }

    /** @return iterable<string, array{int, bool}> */
    public static function screens(): iterable
    {
        yield 'phone' => [375, false];
        yield 'phone, dark' => [375, true];
        yield 'desk' => [1280, false];
        yield 'desk, dark' => [1280, true];
    }

    #[Test]
    #[DataProvider('screens')]
    public function a_page_fits_its_screen_and_can_be_read(int $width, bool $isDark): void
    {
        $steps = [];

        foreach (self::PAGES as $page) {
            array_push($steps, ['goto' => $page], ['site' => $page]);
        }

        $seen = self::look($steps, $width, $isDark);

        foreach (self::PAGES as $page) {
            $state = $seen['site'][$page];
            self::assertStringContainsString('Headroom', $state['title']);
            self::assertSame(0, $state['overflow'], "{$page}: the page is wider than the screen");
            self::assertSame([], $state['outside'], "{$page}: these are cut off at the right");
            self::assertSame([], $state['faint'], "{$page}: these have too little contrast");
            self::assertSame([], $state['unread'], "{$page}: this is not a box");
            self::assertSame($isDark, (int) substr($state['background'], 4) < 100, $state['background']);
            self::assertSame($page === '/', $state['tree'] === 0);
        }
    }

    #[Test]
    public function the_search_finds_pages(): void
    {
        $steps = [['goto' => '/quickstart'], ['click' => '.VPNavBarSearch button'], ['await' => self::SEARCH]];

        foreach (['schedule:work', 'dead letter'] as $words) {
            array_push(
                $steps,
                ['fill' => self::SEARCH, 'with' => ''],
                ['gone' => '.VPLocalSearchBox .result'],
                ['fill' => self::SEARCH, 'with' => $words],
                ['await' => '.VPLocalSearchBox .result'],
                ['site' => $words],
            );
        }

        $found = self::look($steps)['site'];

        self::assertNotSame([], preg_grep('/dead.letter/i', $found['dead letter']['results']));
        self::assertNotSame([], $found['schedule:work']['results']);
        self::assertNotSame($found['dead letter']['results'], $found['schedule:work']['results']);
    }

    #[Test]
    public function links_lead_to_reports_and_to_the_openapi_file(): void
    {
        $seen = self::look([
            ['goto' => '/collector'],
            ['click' => '.VPSidebar a[href$="/collector.openapi.json"]'],
            ['reach' => '/collector.openapi.json'],
            ['goto' => '/benchmarks/'],
            ['click' => '.VPSidebar a[href$="/reports/index.html"]'],
            ['reach' => '/reports/index.html'],
            ['await' => 'main section'],
        ]);

        self::assertContains(self::server()->url().'/reports/index.html', $seen['requests']);
    }

    /**
     * @param list<array<string, mixed>> $steps
     * @return Seen
     */
    private static function look(array $steps, int $width = 1280, bool $isDark = false): array
    {
        $seen = Browser::look(self::server()->url(), $steps, $width, $isDark);

        self::assertSame([], $seen['errors'], 'on the console');
        self::assertSame([], $seen['elsewhere'], 'from other hosts');

        return $seen;
    }

    private static function server(): BuiltInServer
    {
        BuiltSite::build();

        return self::$server ??= BuiltSite::serve();
    }
}
