<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Tests\Laravel\Support\ApplicationTestCase;
use Headroom\Tests\Laravel\Support\Http;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;

/**
 * `php artisan headroom:collect:publish`, optimize, and the route for applications without either.
 */
#[Group('smoke')]
final class CollectPublishCommandTest extends ApplicationTestCase
{
    protected function setUp(): void
    {
        parent::setUp();
        $this->app->config('headroom', "['collector' => ['intake' => ['auth' => false]]]");
    }

    #[Test, Group('day-3')]
    public function optimize_compiles_what_is_published_and_optimize_clear_removes_it(): void
    {
        $this->app->write('composer.json', '{"autoload":{"psr-4":{"App\\\\":"app/"}}}');
        $compiled = $this->app->path('bootstrap/cache/headroom-ingest.php');
        $this->ok('optimize');
        self::assertFileDoesNotExist($compiled);
        self::assertFileDoesNotExist($this->app->path('public/ingest.php'));

        $this->ok('headroom:collect:publish');
        $this->ok('headroom:collect:publish', '--check');
        // As in a new release, whose repository has the front controller.
        unlink($compiled);
        $check = $this->app->artisan('headroom:collect:publish', '--check');
        self::assertSame(1, $check->exit);
        self::assertStringContainsString($compiled, $check->all());
        $this->ok('optimize');
        $this->ok('headroom:collect:publish', '--check');

        $this->ok('optimize:clear');
        self::assertFileDoesNotExist($compiled);
        self::assertFileExists($this->app->path('public/ingest.php'));
        $this->ok('optimize:clear');
    }

    #[Test]
    public function events_of_the_front_controller_are_in_the_applications_buffer(): void
    {
        $this->ok('headroom:collect:publish');
        $server = $this->app->serve('public/ingest.php');

        try {
            self::assertSame(
                [202, ['accepted' => 1, 'rejected' => 0, 'errors' => []]],
                Http::send('POST', "{$server->url()}/v1/events", ['type' => 't', 'id' => 'a']),
            );
        } finally {
            $server->stop();
        }

        self::assertStringContainsString('"accepted": 1', $this->app->artisan('spool:status', '--json')->out);
    }

    #[Test]
    public function a_route_of_the_web_group_takes_events_and_begins_no_session(): void
    {
        $this->app->write(
            'routes/web.php',
            "<?php\n\nHeadroom\\Laravel\\Http\\EventIntake::at('/ingest')->name('events');\nIlluminate\\Support\\Facades\\Route::get('/page', Illuminate\\Routing\\RedirectController::class)->defaults('destination', '/')->defaults('status', 302);\n",
        );
        mkdir($this->app->path('storage/framework/sessions'));
        $bootstrap = $this->app->read('bootstrap/app.php');
        self::assertStringContainsString('->withRouting(', $bootstrap);
        $this->app->write(
            'bootstrap/app.php',
            str_replace(
                '->withRouting(',
                "->withRouting(web: __DIR__.'/../routes/web.php', ",
                (string) preg_replace('/web: [^,\n]*,\s*/', '', $bootstrap),
            ),
        );
        $this->app->config('app', "['key' => 'base64:".base64_encode(str_repeat('k', 32))."', 'env' => 'production']");
        $this->app->config(
            'session',
            "['driver' => 'file', 'files' => storage_path('framework/sessions'), 'cookie' => 's', 'lifetime' => 120,"
                ." 'expire_on_close' => false, 'encrypt' => false, 'lottery' => [0, 1], 'path' => '/', 'domain' =>"
                ." null, 'secure' => false, 'http_only' => true, 'same_site' => 'lax']",
        );
        // A cached route contains no value that cannot be cached.
        $this->ok('route:cache');
        $server = $this->app->serve();

        try {
            self::assertSame(
                [202, ['accepted' => 1, 'rejected' => 0, 'errors' => []]],
                Http::send('POST', "{$server->url()}/ingest/v1/events", ['type' => 't', 'id' => 'a']),
                $this->app->log(),
            );
            self::assertSame(404, Http::send('POST', "{$server->url()}/ingest/v1/elsewhere")[0]);
            self::assertSame(200, Http::get("{$server->url()}/ingest/v1/version")[0]);
            self::assertSame([], glob($this->app->path('storage/framework/sessions/*')));
            // The route group starts a session for a page.
            Http::get("{$server->url()}/page");
            self::assertCount(1, (array) glob($this->app->path('storage/framework/sessions/*')));
        } finally {
            $server->stop();
        }

        self::assertStringContainsString('"accepted": 1', $this->app->artisan('spool:status', '--json')->out);
    }

    #[Test]
    public function a_route_writes_nothing_to_a_bucket_that_is_to_be_redacted(): void
    {
        $this->app->config(
            'spool',
            "['path' => storage_path('buffer'), 'buckets' => ['events' => ['sink' => 'file', 'path' =>"
                ." storage_path('events'), 'redact' => ['password']]]]",
        );
        $this->app->write(
            'routes/api.php',
            $this->app->read('routes/api.php')."\nHeadroom\\Laravel\\Http\\EventIntake::at('/ingest');\n",
        );
        $server = $this->app->serve();

        try {
            self::assertSame(
                500,
                Http::send('POST', "{$server->url()}/ingest/v1/events", [
                    'type' => 't',
                    'data' => ['password' => 'hunter2'],
                ])[0],
            );
        } finally {
            $server->stop();
        }

        Sentence::assertNames(['InvalidConfig', 'spool.buckets.events.redact', 'array'], $this->app->log());
        self::assertFileDoesNotExist($this->app->path('storage/buffer/buckets/events'));
    }

    private function ok(string ...$arguments): Outcome
    {
        $outcome = $this->app->artisan(...$arguments);
        self::assertSame(0, $outcome->exit, $outcome->all());

        return $outcome;
    }
}
