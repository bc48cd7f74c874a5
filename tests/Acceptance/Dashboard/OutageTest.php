<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Dashboard;

use Headroom\Host\WebConfig;
use Headroom\Host\WebStack;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Contract\Support\ScriptedServer;
use Headroom\Tests\Laravel\Support\Http;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use Headroom\Tests\Support\SqlServer;
use PDO;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * A database with the rows, the sessions and the nodes is killed under an open page: the page shows it, a message is
 * sent, a link opens the page meanwhile, and after the repair all events arrive.
 */
#[Group('proof')]
final class OutageTest extends TestCase
{
    private const EVENTS = 300;

    private const ROUTE = <<<'PHP'

        Route::post('rows', function (Illuminate\Http\Request $request): array {
            Headroom\Laravel\Facades\Buffer::bucket('api-events')->addMany($request->json('rows'));

            return [];
        });
        PHP;

    private const SESSIONS = <<<'PHP'
        <?php

        return new class extends Illuminate\Database\Migrations\Migration
        {
            public function up(): void
            {
                Illuminate\Support\Facades\Schema::create('sessions', function ($table): void {
                    $table->string('id')->primary();
                    $table->unsignedBigInteger('user_id')->nullable();
                    $table->string('ip_address', 45)->nullable();
                    $table->text('user_agent')->nullable();
                    $table->longText('payload');
                    $table->integer('last_activity')->index();
                });
            }
        };
        PHP;

    private ?ScratchApplication $app = null;

    private ?SqlServer $database = null;

    private ?WebStack $web = null;

    private ?ScriptedServer $slack = null;

    protected function setUp(): void
    {
        Needs::webStack();
    }

    protected function tearDown(): void
    {
        $this->web?->stop();
        $this->app?->remove();
        $this->slack?->stop();
        $this->database?->stop();
    }

    #[Test]
    public function the_page_and_the_messages_show_an_outage_from_its_start_to_its_end(): void
    {
        $this->database = SqlServer::mariaDb();
        $this->slack = ScriptedServer::start();
        $this->slack->always(['status' => 200, 'body' => 'ok', 'keeps' => false]);
        $this->application()->migrate();
        $this->buffers();
        $this->artisan(0, 'spool:flush');

        $pictures = getenv('HEADROOM_PICTURES');
        $picture = static fn (string $name): array => is_string($pictures) && $pictures !== ''
            ? ['picture' => "{$pictures}/{$name}.png"]
            : [];
        $seen = DashboardBrowser::look([
            ['text' => 'api-events'], ['text' => (string) self::EVENTS],
            ['see' => 'well', ...$picture('outage-1-well')],
            ['act' => 'kill'], ['text' => 'SQLSTATE'], ['see' => 'failing', ...$picture('outage-2-failing')],
            ['act' => 'wait'], ['text' => 'Needs attention'], ['see' => 'alert', ...$picture('outage-3-alert')],
            ['act' => 'repair'], ['without' => 'Needs attention'], ['text' => number_format(2 * self::EVENTS)],
            ['see' => 'drained', ...$picture('outage-4-drained')],
        ], url: "{$this->web()->url()}/headroom", act: fn (string $name) => match ($name) {
            'kill' => $this->kill(),
            'wait' => $this->failsOn(),
            default => $this->repair(),
        });

        self::assertSame([], $seen['elsewhere']);
        self::assertStringContainsString('All well again', self::textOf($this->slack()->requests()[1]->body));
        self::assertCount(2, $this->slack()->requests());
        self::assertSame(2 * self::EVENTS, $this->rows());
    }

    private function kill(): void
    {
        $this->database()->kill();
        $this->buffers();
        $this->artisan(1, 'spool:flush', '--now');
        $this->artisan(0, 'headroom:notify');
        self::assertSame([], $this->slack()->requests(), 'A single failure is reported.');

        // The document needs the session, and the link does not.
        self::assertSame(500, Http::get("{$this->web()->url()}/headroom")[0]);
        $link = json_decode($this->artisan(0, 'headroom:link', '--json'), true, flags: JSON_THROW_ON_ERROR);
        self::assertIsArray($link);
        self::assertIsString($link['url']);
        $path = (string) preg_replace('~\Ahttps?://[^/]+~', '', $link['url']);
        self::assertSame(200, Http::get($this->web()->url().$path)[0]);
    }

    /** A failure that lasts for 45 seconds is reported. */
    private function failsOn(): void
    {
        $until = hrtime(true) + 100_000_000_000;

        do {
            $this->artisan(1, 'spool:flush', '--now');
            $this->artisan(0, 'headroom:notify');
            sleep(2);
        } while ($this->slack()->requests() === [] && hrtime(true) < $until);

        $text = self::textOf($this->slack()->requests()[0]->body ?? '');
        self::assertStringContainsString('bucket api-events', $text);
        self::assertStringContainsString('php artisan spool:flush api-events --now', $text);
        $this->artisan(0, 'headroom:notify');
        self::assertCount(1, $this->slack()->requests(), 'It is reported once.');
    }

    private function repair(): void
    {
        $this->database()->restart();
        $this->artisan(0, 'spool:flush', '--now');
        $this->artisan(0, 'headroom:notify');
        $this->artisan(0, 'headroom:notify');
    }

    private function buffers(): void
    {
        $rows = array_map(static fn (int $i): array => ['event' => "e{$i}"], range(1, self::EVENTS));
        self::assertSame(200, Http::send('POST', "{$this->web()->url()}/rows", ['rows' => $rows])[0]);
    }

    private function application(): ScratchApplication
    {
        if ($this->app !== null) {
            return $this->app;
        }

        $app = $this->app = ScratchApplication::onThisCheckout();
        $app->write('.env', implode("\n", [
            'APP_KEY=base64:'.base64_encode(random_bytes(32)),
            'APP_ENV=local',
            'DB_CONNECTION=mysql',
            'DB_HOST=127.0.0.1',
            "DB_PORT={$this->database()->port}",
            'DB_DATABASE=headroom',
            'DB_USERNAME=headroom',
            'DB_PASSWORD=headroom',
            'CACHE_STORE=file',
            'SESSION_DRIVER=database',
            'LOG_CHANNEL=single',
            "HEADROOM_NOTIFY_SLACK={$this->slack()->url('/hook')}",
        ])."\n");
        $app->write('routes/api.php', $app->read('routes/api.php').self::ROUTE);
        $app->config('spool', "['path' => base_path('shared/buffer'), 'schedule' => false,"
            ." 'buckets' => ['api-events' => ['sink' => 'database', 'table' => 'api_events']]]");
        $app->write('database/migrations/2026_01_01_000001_create_sessions_table.php', self::SESSIONS);
        $app->shareWithEverybody();
        $this->web = WebStack::start(new WebConfig($app->path('public/index.php'), workers: 4, env: $app->env()));

        return $app;
    }

    private function artisan(int $exit, string ...$arguments): string
    {
        $outcome = $this->application()->artisan(...$arguments);
        self::assertSame($exit, $outcome->exit, implode(' ', $arguments).": {$outcome->all()}");

        return $outcome->out;
    }

    private function rows(): int
    {
        $pdo = new PDO("mysql:host=127.0.0.1;port={$this->database()->port};dbname=headroom", 'headroom', 'headroom');
        $count = $pdo->query('select count(*) from api_events');

        return $count === false ? -1 : (int) $count->fetchColumn();
    }

    private static function textOf(string $body): string
    {
        $text = '';
        $values = json_decode($body, true);
        $values = is_array($values) ? $values : [];
        array_walk_recursive($values, static function (mixed $one) use (&$text): void {
            $text .= is_string($one) ? "{$one}\n" : '';
        });

        return $text;
    }

    private function database(): SqlServer
    {
        return $this->database ?? self::fail('There is no database.');
    }

    private function slack(): ScriptedServer
    {
        return $this->slack ?? self::fail('There is no receiver.');
    }

    private function web(): WebStack
    {
        return $this->web ?? self::fail('There is no web server.');
    }
}
