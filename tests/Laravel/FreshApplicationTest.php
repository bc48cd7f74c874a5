<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Core\SystemClock;
use Headroom\Host\BuiltInServer;
use Headroom\Host\WebConfig;
use Headroom\Tests\Laravel\Support\Http;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Laravel\Support\Package;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use Headroom\Tests\Support\Redis\Patience;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * What somebody does who has read how it works and installs it, step by step, with real processes.
 */
final class FreshApplicationTest extends TestCase
{
    private ?ScratchApplication $app = null;

    protected function tearDown(): void
    {
        $this->app?->remove();
    }

    /** @return iterable<string, array{int}> */
    public static function versions(): iterable
    {
        foreach (PHP_VERSION_ID >= 80300 ? [13, 12, 11] : [12, 11] as $version) {
            yield "Laravel {$version}" => [$version];
        }
    }

    #[Test]
    #[DataProvider('versions')]
    public function a_new_application_installs_buffers_schedules_flushes_and_checks(int $version): void
    {
        $this->app = ScratchApplication::toBeInstalled();
        Package::installLaravel($this->app, "^{$version}.0");
        $without = Package::versions($this->app);
        Package::requireHeadroom($this->app);

        $others = array_diff_key(Package::versions($this->app), ['headroom/headroom' => null]);
        self::assertSame($without, $others, 'No other package comes, goes or moves.');
        self::assertStringStartsWith("Laravel Framework {$version}.", $this->artisan('--version')->out);

        $this->installs();
        $this->buffers('first');
        self::assertSame([], $this->endpoints(), 'A buffered event must not be in the database before a flush.');

        self::assertStringContainsString('spool:flush', $this->artisan('schedule:list')->out);
        $this->artisan('schedule:run');
        $this->awaitRows(1);
        self::assertSame(['article'], $this->endpoints());
        $this->checks(delivered: 1);

        foreach (['config:cache', 'route:cache', 'event:cache', 'optimize'] as $command) {
            $this->artisan($command);
        }

        $this->buffers('cached');
        $this->artisan('schedule:run');
        $this->awaitRows(2);
        $this->checks(delivered: 2);
        self::assertSame('', $this->app()->log());
    }

    private function installs(): void
    {
        $app = $this->app();
        $installed = $this->artisan('spool:install')->out;

        self::assertStringContainsString('Healthy', $installed);
        self::assertFileExists($app->path('config/spool.php'));
        self::assertCount(1, (array) glob($app->path('database/migrations/*_create_spool_ledger_table.php')));
        self::assertDirectoryExists($app->path('storage/app/private/buffer'));

        $config = (string) file_get_contents($app->path('config/spool.php'));
        $declared = str_replace("// 'api-events'", "'api-events'", $config);
        self::assertNotSame($config, $declared, 'The published configuration has an example to uncomment.');
        $app->write('config/spool.php', $declared);
        $app->write('database/migrations/2025_01_01_000000_create_api_events_table.php', <<<'PHP'
            <?php

            use Illuminate\Database\Migrations\Migration;
            use Illuminate\Database\Schema\Blueprint;
            use Illuminate\Support\Facades\Schema;

            return new class extends Migration {
                public function up(): void
                {
                    Schema::create('api_events', function (Blueprint $table): void {
                        $table->id();
                        $table->unsignedBigInteger('user_id');
                        $table->string('event');
                        $table->string('endpoint');
                        $table->string('ip');
                        $table->timestamp('created_at');
                    });
                }
            };
            PHP);
        $this->artisan('migrate', '--force');
    }

    private function buffers(string $round): void
    {
        $app = $this->app();
        $server = BuiltInServer::start(new WebConfig($app->path('public/index.php'), workers: 1, user: 'root'));

        try {
            [$status, $body] = Http::post("{$server->url()}/article");
            self::assertSame([200, ['accepted' => true]], [$status, $body], "{$round}: {$app->log()}");
        } finally {
            $server->stop();
        }
    }

    private function checks(int $delivered): void
    {
        // Rows are there before the process that wrote them has told what it delivered.
        Patience::until(fn (): bool => str_contains($this->app()->artisan('spool:status', '--json')->out, "\"delivered\": {$delivered},"), 'the flush in the background has ended');
        self::assertStringContainsString('Healthy', $this->artisan('spool:health')->out);

        $status = json_decode($this->artisan('spool:status', '--json')->out, true, flags: JSON_THROW_ON_ERROR);
        self::assertIsArray($status);
        self::assertIsArray($status['buckets']);
        self::assertIsArray($status['buckets'][0]);
        self::assertSame(
            ['bucket' => 'api-events', 'sink' => 'database', 'accepted' => $delivered, 'delivered' => $delivered, 'dead' => 0, 'dropped' => 0, 'pending' => 0, 'missing' => 0],
            array_slice($status['buckets'][0], 0, 8),
        );

        $about = $this->artisan('about', '--only=headroom')->out;
        self::assertMatchesRegularExpression('/Buckets \.+ api-events/', $about);
        self::assertMatchesRegularExpression('/Flush \.+ scheduled every minute/', $about);
    }

    /** The scheduler leaves the flush to a process of its own and does not wait for it. */
    private function awaitRows(int $count): void
    {
        $clock = new SystemClock;
        $until = $clock->monotonicNanos() + 20_000_000_000;

        while (count($this->endpoints()) < $count && $clock->monotonicNanos() < $until) {
            $clock->sleep(20_000);
        }

        self::assertCount($count, $this->endpoints(), $this->app()->log());
    }

    /** @return list<mixed> */
    private function endpoints(): array
    {
        return array_column($this->app()->rows('select endpoint from api_events order by id'), 'endpoint');
    }

    private function artisan(string ...$arguments): Outcome
    {
        $outcome = $this->app()->artisan(...$arguments);
        self::assertSame(0, $outcome->exit, implode(' ', $arguments).": {$outcome->all()}");

        return $outcome;
    }

    private function app(): ScratchApplication
    {
        return $this->app ?? self::fail('There is no application.');
    }
}
