<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Tests\Laravel\Support\ApplicationTestCase;
use Headroom\Tests\Laravel\Support\Http;
use Headroom\Tests\Support\Markdown\MarkdownPage;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\Test;

/**
 * The code of docs/monitoring.md, in a real application.
 */
final class HealthRouteTest extends ApplicationTestCase
{
    #[Test]
    public function a_route_of_the_application_and_laravels_own_report_the_health_of_the_buffer(): void
    {
        $this->app->config(
            'spool',
            "['path' => storage_path('app/private/buffer'), 'heartbeats' => false, 'buckets' => ['api-events' =>"
                ." ['sink' => 'database', 'table' => 'api_events']]]",
        );
        $this->app->migrate();
        $this->app->write(
            'routes/api.php',
            str_replace("use Illuminate\\Support\\Facades\\Route;\n", '', $this->app->read('routes/api.php'))."\n"
                .str_replace("->middleware('auth.basic')", '', self::code('A health check over HTTP')),
        );
        mkdir($this->app->path('app/Providers'));
        $this->app->write('app/Providers/AppServiceProvider.php', "<?php\n\n".self::code('As a part of /up'));
        $this->app->write('bootstrap/providers.php', str_replace(
            '[HeadroomServiceProvider::class]',
            '[HeadroomServiceProvider::class, App\\Providers\\AppServiceProvider::class]',
            $this->app->read('bootstrap/providers.php'),
        ));
        $this->app->write(
            'bootstrap/app.php',
            str_replace("apiPrefix: ''", "apiPrefix: '', health: '/up'", $this->app->read('bootstrap/app.php')),
        );
        $server = $this->app->serve();

        try {
            Http::post("{$server->url()}/events/1");
            [$status, $body] = Http::get("{$server->url()}/health/spool");
            self::assertSame([200, ['healthy' => true, 'problems' => []]], [$status, $body], $this->app->log());
            self::assertSame(200, Http::get("{$server->url()}/up")[0]);

            $this->app->execute('drop table api_events');
            [$status, $body] = Http::get("{$server->url()}/health/spool");
            self::assertSame(503, $status);
            self::assertIsArray($body);
            self::assertIsArray($body['problems']);
            self::assertIsArray($body['problems'][0]);
            $problem = $body['problems'][0];
            self::assertSame([false, 'bucket api-events, connection sqlite'], [$body['healthy'], $problem['subject']]);
            self::assertIsString($problem['message']);
            Sentence::assertNames(['api_events'], $problem['message']);
            self::assertSame(500, Http::get("{$server->url()}/up")[0]);
            $logged = "spool:health, bucket api-events, connection sqlite: {$problem['message']}";
            self::assertStringContainsString($logged, $this->app->log());
        } finally {
            $server->stop();
        }
    }

    private static function code(string $heading): string
    {
        return MarkdownPage::at('docs/monitoring.md')->under($heading)[0]->code;
    }
}
