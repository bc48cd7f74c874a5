<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Uses;

use Composer\Autoload\ClassLoader;
use Headroom\Dev\BuiltInServer;
use Headroom\Host\WebConfig;
use Headroom\Laravel\Facades\Buffer;
use Headroom\Tests\Architecture\Files;
use Headroom\Tests\Laravel\Support\Http;
use Headroom\Tests\Laravel\Support\OnWorkbench;
use Headroom\Tests\Laravel\WorkbenchApplication;
use Headroom\Tests\Laravel\WorkbenchDatabase;
use Illuminate\Support\Facades\Date;
use Illuminate\Support\Facades\DB;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Symfony\Component\HttpFoundation\Request;

/**
 * docs/uses/page-views.md
 */
final class PageViewsTest extends TestCase
{
    private const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

    private ?OnWorkbench $on = null;

    protected function tearDown(): void
    {
        Date::setTestNow();
        $this->on?->shut();
        $this->on = null;
    }

    #[Test]
    #[DataProviderExternal(WorkbenchDatabase::class, 'sampled')]
    public function a_page_that_was_shown_is_a_row_after_the_flush(WorkbenchDatabase $database): void
    {
        $on = $this->on($database);
        Date::setTestNow('2026-05-06 07:08:09');

        self::assertSame(
            200,
            $this->visit(
                '/documents/1?utm_campaign=spring&email=me@example.org',
                ['HTTP_REFERER' => 'https://search.example/?q=private'],
            ),
        );
        self::assertSame(0, DB::table('page_visits')->count());
        Date::setTestNow('2026-05-06 23:00:00');
        $on->workbench->artisan('spool:flush', ['bucket' => 'page_visits']);

        [$row] = $on->workbench->rows('page_visits');
        self::assertMatchesRegularExpression('/\A[0-9a-f]{32}\z/', is_string($row['visitor']) ? $row['visitor'] : '');
        unset($row['visitor']);
        self::assertSame(
            [
                'route' => 'documents/{document}',
                'path' => 'documents/1',
                'campaign' => 'spring',
                'referer' => 'search.example',
                'seen_at' => '2026-05-06 07:08:09',
            ],
            $row,
        );
    }

    #[Test]
    public function a_visitor_is_the_same_for_a_day_and_for_that_browser_only(): void
    {
        $this->on(WorkbenchDatabase::Sqlite);
        $fake = Buffer::fake();

        foreach ([
            '2026-05-06 07:00:00' => self::BROWSER,
            '2026-05-06 23:59:59' => self::BROWSER,
            '2026-05-06 08:00:00' => 'Another browser',
            '2026-05-07 00:00:00' => self::BROWSER,
        ] as $now => $agent) {
            Date::setTestNow($now);
            $this->visit('/documents/1', ['HTTP_USER_AGENT' => $agent]);
        }

        $seen = array_filter(array_column($fake->buffered('page_visits'), 'visitor'), is_string(...));
        self::assertCount(4, $seen);
        self::assertSame($seen[0], $seen[1]);
        self::assertCount(3, array_unique($seen));
    }

    /** @param array<string, string> $server */
    #[Test]
    #[TestWith(['/documents/2', [], 404])]
    #[TestWith(['/events/count', [], 200])]
    #[TestWith(['/documents/1', ['HTTP_USER_AGENT' => 'Googlebot/2.1 (+http://www.google.com/bot.html)'], 200])]
    #[TestWith(['/documents/1', ['HTTP_USER_AGENT' => ''], 200])]
    #[TestWith(['/documents/1', ['HTTP_SEC_GPC' => '1'], 200])]
    #[TestWith(['/documents/1', ['HTTP_SEC_PURPOSE' => 'prefetch'], 200])]
    #[TestWith(['/documents/1', ['HTTP_X_REQUESTED_WITH' => 'XMLHttpRequest'], 200])]
    public function a_request_that_is_no_view_of_a_person_is_left_out(string $uri, array $server, int $status): void
    {
        $this->on(WorkbenchDatabase::Sqlite);
        Buffer::fake();

        self::assertSame($status, $this->visit($uri, $server));
        Buffer::assertNothingBuffered();
    }

    #[Test]
    public function a_page_is_shown_although_its_view_cannot_be_buffered(): void
    {
        $this->on(WorkbenchDatabase::Sqlite);
        $fake = Buffer::fake()->rejectWhenFull();

        self::assertSame(200, $this->visit('/documents/1'));
        $fake->assertDropped('page_visits');
    }

    #[Test, Group('day-3')]
    public function over_http_each_view_is_a_row(): void
    {
        $on = $this->on(WorkbenchDatabase::Sqlite);
        $server = BuiltInServer::start(new WebConfig(
            dirname(__DIR__).'/fixtures/front.php',
            workers: 1,
            user: 'root',
            env: [
                'HEADROOM_AUTOLOAD' => array_key_first(ClassLoader::getRegisteredLoaders()).'/autoload.php',
                'HEADROOM_INCLUDED' => "{$on->workbench->storage}/included.json",
                'WORKBENCH_STORAGE' => $on->workbench->storage,
            ],
        ));
        $agent = ini_set('user_agent', self::BROWSER);

        try {
            foreach ([1, 2, 3] as $view) {
                self::assertSame(200, Http::get("{$server->url()}/documents/1")[0], $on->workbench->log());
            }
        } finally {
            $server->stop();
            ini_set('user_agent', (string) $agent);
        }

        $on->workbench->artisan('spool:flush', ['bucket' => 'page_visits']);
        self::assertSame(3, DB::table('page_visits')->count());
    }

    /** The workbench has another table of the name page_views, which benchmarks fill. */
    #[Test]
    public function the_code_on_the_page_is_the_workbenchs(): void
    {
        $page = Files::read('docs/uses/page-views.md');
        $bucket = "/^ +'page_visits' => \\[\n.*?^ +\\],$/ms";
        self::assertSame(1, preg_match($bucket, Files::read('workbench/config/spool.php'), $shown));

        foreach ([
            Snippet::of('workbench/app/Http/Middleware/RecordPageView.php', 'final class'),
            Snippet::of('workbench/app/Models/PageVisit.php', 'final class'),
            (string) preg_replace('/^ {4}/m', '', $shown[0]),
        ] as $code) {
            self::assertStringContainsString(
                strtr($code, ['PageVisit' => 'PageView', 'page_visits' => 'page_views']),
                $page,
            );
        }
    }

    private function on(WorkbenchDatabase $database): OnWorkbench
    {
        $this->on = $on = OnWorkbench::with($database);
        DB::table('page_visits')->delete();
        DB::table('documents')->delete();
        DB::table('documents')->insert(['id' => 1, 'title' => 'A & B']);

        return $on;
    }

    /** @param array<string, string> $server */
    private function visit(string $uri, array $server = []): int
    {
        self::assertInstanceOf(WorkbenchApplication::class, $this->on?->workbench);

        return $this->on->workbench->send(Request::create(
            $uri,
            server: ['HTTP_USER_AGENT' => self::BROWSER, ...$server],
        ))->getStatusCode();
    }
}
