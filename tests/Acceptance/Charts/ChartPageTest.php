<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Charts;

use Composer\Autoload\ClassLoader;
use Headroom\Core\SystemClock;
use Headroom\Dev\BuiltInServer;
use Headroom\Host\WebConfig;
use Headroom\Process\Ports;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\AccessLog\AccessLog;
use Headroom\Tests\Laravel\WorkbenchApplication;
use Headroom\Tests\Support\OpenSearch\EventStreams;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

/**
 * The page as a user sees it: in a browser, from the workbench application, with a real index behind it.
 */
final class ChartPageTest extends TestCase
{
    private const STREAM = 'headroom-page-tests';

    private static ?EventStreams $server = null;

    private static ?SiteEvents $site = null;

    private ?BuiltInServer $web = null;

    private TemporaryDirectory $storage;

    public static function tearDownAfterClass(): void
    {
        self::$server?->remove(self::STREAM);
        self::$server = self::$site = null;
    }

    protected function setUp(): void
    {
        if (! AccessLog::isReal()) {
            self::markTestSkipped('The access log is not there: it is among the fixtures (HEADROOM_FIXTURES).');
        }

        $this->storage = TemporaryDirectory::create('page');
    }

    protected function tearDown(): void
    {
        $this->web?->stop();

        if (isset($this->storage)) {
            $this->storage->remove();
        }
    }

    #[Test, Group('day-2')]
    public function the_numbers_on_the_page_are_those_of_the_log(): void
    {
        $seen = Browser::look($this->page('range=7d&refresh=0'), [['settle' => true], ['see' => 'first']]);
        ['business' => $business, 'actions' => $actions] = $seen['states']['first']['sections'];
        $counted = $this->site()->count(
            'type',
            static fn (array $event): bool => ! self::isAction($event['type']) && $event['type'] !== 'log',
        );

        // Eight by name, and the rest together.
        self::assertSame(array_sum($counted), $business['total']);
        self::assertSame(
            [...array_values(array_slice($counted, 0, 8)), array_sum(array_slice($counted, 8))],
            array_column($business['rows'], 1),
        );
        self::assertSame('all others', $business['rows'][8][0]);
        self::assertSame(
            $this->site()->count('type', static fn (array $event): bool => self::isAction($event['type'])),
            array_combine(array_column($actions['rows'], 0), array_column($actions['rows'], 1)),
        );

        self::assertMatchesRegularExpression(
            '/\b'.number_format($business['total']).'\b/',
            (string) $business['label'],
        );
        self::assertMatchesRegularExpression(
            '/\b'.number_format($business['total'] + (int) $actions['total']).'\b/',
            $seen['states']['first']['status'],
        );
        self::assertGreaterThan(5_000, $business['ink']);
        self::assertGreaterThan(5_000, $actions['ink']);
        self::assertNothingWrong($seen);
    }

    #[Test]
    #[Group('proof')]
    public function the_keyboard_hides_a_name_and_chooses_a_range_and_the_address_follows(): void
    {
        $seen = Browser::look($this->page('range=7d&refresh=0'), [
            ['settle' => true], ['see' => 'all'],
            ['focus' => '#business tbody tr:first-child button'], ['press' => 'Space'], ['see' => 'hidden'],
            ['focus' => '#actions tbody tr:first-child button'], ['press' => 'Enter'], ['press' => 'Enter'],
            ['focus' => 'input[name=range][value="7d"]'], ['press' => 'ArrowRight'], ['settle' => true],
            ['see' => 'month'],
            ['choose' => 'select[name=split]', 'value' => 'source'], ['settle' => true], ['see' => 'source'],
        ]);
        ['all' => $all, 'hidden' => $hidden, 'month' => $month, 'source' => $source] = $seen['states'];

        self::assertSame('false', $hidden['sections']['business']['rows'][0][2]);
        self::assertLessThan($all['sections']['business']['ink'], $hidden['sections']['business']['ink']);
        // The table keeps what the chart does not show.
        self::assertSame($all['sections']['business']['total'], $hidden['sections']['business']['total']);
        self::assertStringContainsString('range=30d', $month['address']);
        self::assertSame('false', $month['sections']['business']['rows'][0][2]);
        self::assertStringContainsString('split=source', $source['address']);
        self::assertSame(
            ['web-0', 'web-1', 'web-2'],
            self::sorted(array_column($source['sections']['actions']['rows'], 0)),
        );
        self::assertNothingWrong($seen);
    }

    #[Test]
    #[Group('proof')]
    #[TestWith([1280, false, 'rgb(246, 247, 249)'])]
    #[TestWith([390, true, 'rgb(18, 21, 27)'])]
    public function nothing_overflows_on_a_desktop_or_a_phone_in_light_or_dark(
        int $width,
        bool $dark,
        string $background,
    ): void {
        $seen = Browser::look(
            $this->page('range=7d&refresh=0'),
            [
                ['settle' => true],
                ['hover' => '#business .chart', 'at' => ['x' => intdiv($width, 2), 'y' => 100]],
                ['see' => 'first'],
                ['dark' => ! $dark],
                ['see' => 'other'],
            ],
            $width,
            $dark,
        );

        self::assertSame(
            [$background, 0],
            [$seen['states']['first']['background'], $seen['states']['first']['overflow']],
        );
        self::assertNotSame($background, $seen['states']['other']['background']);
        self::assertGreaterThan(1_000, $seen['states']['other']['sections']['business']['ink']);
        self::assertNothingWrong($seen);
    }

    #[Test, Group('day-1')]
    public function an_empty_section_says_where_to_look(): void
    {
        $seen = Browser::look(
            $this->page('from=2001-01-01T00:00&to=2001-01-02T00:00&refresh=0'),
            [['settle' => true], ['see' => 'first']],
        );
        ['business' => $business, 'actions' => $actions] = $seen['states']['first']['sections'];

        self::assertStringContainsString('spool:status', (string) $business['empty']);
        self::assertStringContainsString('config/headroom.php', (string) $actions['empty']);
        self::assertSame([[], [], null], [$business['rows'], $actions['rows'], $seen['states']['first']['problem']]);
        self::assertNothingWrong($seen);
    }

    #[Test, Group('day-3')]
    public function an_index_that_is_down_is_told_on_the_page_with_what_to_do(): void
    {
        $address = '127.0.0.1:'.Ports::free();
        $seen = Browser::look(
            $this->page('range=7d&refresh=0', "http://{$address}"),
            [['settle' => true], ['focus' => '#problem button'], ['see' => 'first']],
        );

        self::assertStringContainsString($address, (string) $seen['states']['first']['problem']);
        self::assertNotSame('BODY', $seen['states']['first']['focus'], 'The problem has a button to ask again.');
        self::assertSame([], $seen['elsewhere']);
    }

    #[Test]
    #[Group('proof')]
    public function the_page_asks_again_by_itself_and_the_focus_stays(): void
    {
        $seen = Browser::look($this->page('range=7d&refresh=10'), [
            ['settle' => true],
            ['focus' => '#actions tbody tr:nth-child(2) button'],
            ['see' => 'before'],
            ['changed' => true],
            ['settle' => true],
            ['see' => 'after'],
        ]);
        ['before' => $before, 'after' => $after] = $seen['states'];

        self::assertNotSame($before['status'], $after['status']);
        self::assertSame($before['focus'], $after['focus']);
        self::assertStringStartsWith(':', $after['focus']);
        self::assertNothingWrong($seen);
    }

    #[Test]
    #[Group('proof')]
    public function it_is_the_same_page_without_laravel(): void
    {
        $this->site();
        $this->web = BuiltInServer::start(new WebConfig(__DIR__.'/fixtures/plain.php', workers: 3, user: 'root', env: [
            'HEADROOM_AUTOLOAD' => array_key_first(ClassLoader::getRegisteredLoaders()).'/autoload.php',
            'INDEX_URL' => (string) self::$server?->url,
            'INDEX' => self::STREAM,
        ]));
        $seen = Browser::look(
            "{$this->web->url()}/charts?range=7d&refresh=0",
            [['settle' => true], ['see' => 'first']],
        );

        self::assertSame(
            array_sum($this->site()->count('type', static fn (array $event): bool => self::isAction($event['type']))),
            $seen['states']['first']['sections']['actions']['total'],
        );
        self::assertGreaterThan(5_000, $seen['states']['first']['sections']['actions']['ink']);
        self::assertNothingWrong($seen);
    }

    private static function isAction(string $type): bool
    {
        return str_starts_with($type, 'page') || str_starts_with($type, 'user.');
    }

    /** @param array{errors: list<string>, elsewhere: list<string>} $seen */
    private static function assertNothingWrong(array $seen): void
    {
        self::assertSame([[], []], [$seen['errors'], $seen['elsewhere']]);
    }

    /**
     * @param list<string> $names
     * @return list<string>
     */
    private static function sorted(array $names): array
    {
        sort($names);

        return $names;
    }

    private function page(string $query, ?string $index = null): string
    {
        $this->site();
        $this->web = BuiltInServer::start(new WebConfig(
            (string) realpath(WorkbenchApplication::ROOT.'/public/index.php'),
            workers: 3,
            user: 'root',
            env: [
                'HEADROOM_AUTOLOAD' => array_key_first(ClassLoader::getRegisteredLoaders()).'/autoload.php',
                'WORKBENCH_STORAGE' => $this->storage->path,
                'APP_ENV' => 'local',
                'APP_KEY' => 'base64:'.base64_encode(random_bytes(32)),
                'DB_CONNECTION' => 'sqlite',
                'HEADROOM_CHARTS' => '1',
                'ELASTICSEARCH_URL' => $index ?? (string) self::$server?->url,
                'ELASTICSEARCH_INDEX' => self::STREAM,
            ],
        ));

        return "{$this->web->url()}/headroom/events?{$query}";
    }

    private function site(): SiteEvents
    {
        if (self::$site === null) {
            self::$server = EventStreams::get();
            self::$site = SiteEvents::read()->upTo(intdiv((new SystemClock)->micros(), 1_000_000));
            self::$server->remove(self::STREAM);
            self::$server->installed(self::STREAM);
            self::$server->fill(self::STREAM, self::$site->documents());
        }

        return self::$site;
    }
}
