<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Prometheus;

use Headroom\Host\WebConfig;
use Headroom\Host\WebStack;
use Headroom\Tests\Laravel\Support\Http;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use RuntimeException;

/**
 * A Laravel application behind nginx and PHP-FPM whose events and sessions go to one MariaDB or MySQL. A row with
 * another column than "event" becomes a dead letter.
 */
final class ScrapedApplication
{
    public const TOKEN = 'f0e1d2c3b4a5968778695a4b3c2d1e0f';

    /** The quota is reached by one row. */
    private const LARGE = 200_000;

    private const ROUTES = <<<'PHP'

        Route::post('rows/{bucket}', function (Illuminate\Http\Request $request, string $bucket): array {
            try {
                Headroom\Laravel\Facades\Buffer::bucket($bucket)->add($request->json()->all());
            } catch (Headroom\Spool\UnableToAppend) {
                return ['refused' => true];
            }

            return ['refused' => false];
        });
        PHP;

    private function __construct(private readonly ScratchApplication $app, public readonly WebStack $stack) {}

    public static function on(int $databasePort): self
    {
        $app = ScratchApplication::onThisCheckout();
        $app->write('.env', implode("\n", [
            'APP_KEY=base64:'.base64_encode(random_bytes(32)),
            'APP_ENV=production',
            'DB_CONNECTION=mysql',
            'DB_HOST=127.0.0.1',
            "DB_PORT={$databasePort}",
            'DB_DATABASE=headroom',
            'DB_USERNAME=headroom',
            'DB_PASSWORD=headroom',
            'CACHE_STORE=file',
            'SESSION_DRIVER=database',
            'LOG_CHANNEL=single',
            'HEADROOM_METRICS_TOKEN='.self::TOKEN,
        ])."\n");
        $app->write('routes/api.php', $app->read('routes/api.php').self::ROUTES);
        $app->shareWithEverybody();
        self::configure($app);

        return new self($app, WebStack::start(new WebConfig(
            $app->path('public/index.php'),
            workers: 4,
            env: $app->env(),
        )));
    }

    private static function configure(ScratchApplication $app, string $more = ''): void
    {
        $bucket = "['sink' => 'database', 'table' => 'api_events'";
        $app->config('spool', "['path' => base_path('shared/buffer'), 'schedule' => false, 'heartbeats' => false,"
            ."{$more} 'buckets' => ['api-events' => {$bucket}, 'max_bytes' => 100_000_000],"
            ." 'dropping' => {$bucket}, 'max_bytes' => 131_072, 'overflow' => 'drop'],"
            ." 'refusing' => {$bucket}, 'max_bytes' => 131_072, 'overflow' => 'throw']]]");
    }

    /** As if the disk were almost full. */
    public function keepAPebibyteFree(): void
    {
        self::configure($this->app, " 'min_free_bytes' => 1_125_899_906_842_624,");
    }

    public function remove(): void
    {
        $this->stack->stop();
        $this->app->remove();
    }

    public function migrate(): void
    {
        $this->app->migrate();
    }

    public function artisan(string ...$arguments): Outcome
    {
        return $this->app->artisan(...$arguments);
    }

    /** One event of each kind: delivered, dead, dropped, refused. */
    public function buffer(): void
    {
        $this->add('api-events', ['event' => 'good']);
        $this->add('api-events', ['nocolumn' => 'bad']);
        $this->add('dropping', ['event' => str_repeat('x', self::LARGE)]);
        $this->add('refusing', ['event' => str_repeat('x', self::LARGE)]) || throw new RuntimeException('Not refused.');
    }

    /**
     * @param array<string, string> $row
     * @return bool whether the buffer refused it
     */
    public function add(string $bucket, array $row): bool
    {
        [$status, $body] = Http::send('POST', "{$this->stack->url()}/rows/{$bucket}", $row);

        return $status === 200 && is_array($body)
            ? $body['refused'] === true
            : throw new RuntimeException("{$status} {$this->app->log()}");
    }
}
