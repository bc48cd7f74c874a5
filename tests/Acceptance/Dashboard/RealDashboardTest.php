<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Dashboard;

use Headroom\Dev\BuiltInServer;
use Headroom\Host\WebConfig;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The page of an application, with its buffer and its dead letters.
 *
 * @phpstan-import-type Seen from DashboardBrowser
 */
final class RealDashboardTest extends TestCase
{
    private ScratchApplication $app;

    private ?BuiltInServer $web = null;

    protected function setUp(): void
    {
        $this->app = ScratchApplication::onThisCheckout();
        $this->app->config(
            'spool',
            "['path' => base_path('shared/buffer'), 'buckets' => ['api-events' => ['sink' => 'database', 'table' =>"
                ." 'api_events']]]",
        );
        copy(
            dirname(__DIR__, 3).'/database/migrations/2026_01_01_000001_create_spool_nodes_table.php',
            $this->app->path('database/migrations/2026_01_01_000001_create_spool_nodes_table.php'),
        );
        $this->app->migrate();
        // The first delivery of each event is its last: the others of the same name become dead letters.
        $this->app->execute('create unique index one on api_events (event)');
        @mkdir($this->app->path('storage/framework/sessions'), 0o777, true);
        $this->web = BuiltInServer::start(new WebConfig(
            $this->app->path('public/index.php'),
            workers: 3,
            user: 'root',
            env: [
                ...$this->app->env(), 'APP_ENV' => 'local', 'SESSION_DRIVER' => 'file',
            ],
        ));
    }

    protected function tearDown(): void
    {
        $this->web?->stop();
        $this->app->remove();
    }

    #[Test]
    public function a_dead_letter_is_found_forgotten_and_gone(): void
    {
        $this->buffer(2);
        $this->buffer(2);
        $this->app->artisan('spool:flush');
        $this->buffer(3);
        $seen = $this->look([
            ['text' => 'It has 2 dead letters'], ['text' => 'this machine'], ['see' => 'now'],
            ['goto' => '#/events/api-events'], ['await' => '.view:not([hidden]) button.unfold'],
            ['click' => '.view:not([hidden]) button.unfold'], ['see' => 'events'],
            ['goto' => '#/dead/api-events'], ['text' => 'the newest first'],
            ['click' => '.view:not([hidden]) button.unfold'], ['see' => 'dead'],
            ['click' => 'section > .actions.act button >> nth=1'], ['click' => 'dialog button.danger'],
            ['text' => 'of bucket api-events.'], ['text' => 'No dead letters.'],
            ['goto' => '#/buckets/api-events'], ['text' => 'configured'], ['see' => 'bucket'],
            ['click' => 'button.act >> text=Pause'], ['fill' => 'dialog input', 'with' => 'migration'],
            ['press' => 'Enter'],
            ['await' => 'button.act >> text=Resume'], ['see' => 'paused'],
            ['goto' => '#/machine'], ['text' => 'The doctor has not run'], ['see' => 'machine'],
        ]);
        [
            'now' => $now,
            'events' => $events,
            'dead' => $dead,
            'bucket' => $bucket,
            'paused' => $paused,
        ] = $seen['states'];

        self::assertSame('api-events', substr($now['tables']['Buckets'][0][0], 0, 10));
        self::assertSame('3', $now['tables']['Buckets'][0][4]);
        self::assertSame('reports', $now['tables']['Machines'][0][1]);
        // Three, and the line that is open.
        self::assertCount(4, $events['tables']['Events waiting']);
        self::assertStringContainsStringIgnoringCase('unique', $dead['tables']['Dead letters'][0][1]);
        self::assertContains(['sink', 'database', 'configured'], $bucket['tables']['Settings in force']);
        self::assertStringContainsString('migration', $paused['text']);
        self::assertStringContainsString('forget', $this->app->log());
        DashboardBrowser::assertNothingWrong($seen);
    }

    #[Test]
    public function the_page_of_a_link_opens_and_shows_no_action(): void
    {
        $this->buffer(3);
        $printed = json_decode($this->app->artisan('headroom:link', '--json')->out, true);
        $link = is_array($printed) && is_string($printed['url'] ?? null) ? $printed['url'] : '';
        $query = (string) parse_url($link, PHP_URL_QUERY);
        $seen = $this->look([
            ['text' => 'Live,'], ['goto' => '#/buckets/api-events'], ['text' => 'configured'],
            ['see' => 'bucket'],
        ], "/link?{$query}");

        self::assertSame('api-events', $seen['states']['bucket']['heading']);
        self::assertNotContains('Pause', $seen['states']['bucket']['buttons']);
        DashboardBrowser::assertNothingWrong($seen);
    }

    private function buffer(int $events): void
    {
        file_get_contents(
            "{$this->web?->url()}/events/{$events}",
            context: stream_context_create(['http' => ['method' => 'POST', 'header' => 'Connection: close']]),
        );
    }

    /**
     * @param list<array<string, mixed>> $steps
     * @return Seen
     */
    private function look(array $steps, string $at = ''): array
    {
        return DashboardBrowser::look($steps, url: "{$this->web?->url()}/headroom{$at}");
    }
}
