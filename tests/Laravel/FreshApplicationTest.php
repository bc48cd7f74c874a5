<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Core\SystemClock;
use Headroom\Dev\BuiltInServer;
use Headroom\Host\WebConfig;
use Headroom\Host\WebStack;
use Headroom\Tests\Laravel\Support\Http;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Laravel\Support\Package;
use Headroom\Tests\Laravel\Support\Person;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use Headroom\Tests\Support\Dug;
use Headroom\Tests\Support\MissingServer;
use Headroom\Tests\Support\Redis\Patience;
use Headroom\Tests\Support\Snapshot;
use PDO;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The steps of a first installation, with real processes.
 */
#[Group('proof')]
#[Group('snapshot')]
final class FreshApplicationTest extends TestCase
{
    private ?ScratchApplication $app = null;

    private bool $isOnAServer = false;

    private ?PDO $pdo = null;

    private string $schema = '';

    protected function tearDown(): void
    {
        $this->pdo?->exec("drop database {$this->schema}");
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
        $this->passesTheArticlesSteps($version);
    }

    /** As on a server: every file belongs to the user of the web server, and artisan runs as that user. */
    #[Test]
    #[Group('smoke')]
    public function a_new_application_on_mysql_behind_nginx_and_php_fpm_works_too(): void
    {
        WebStack::isInstalled()
            || MissingServer::named('nginx', 'nginx and PHP-FPM are not installed: bin/services install nginx fpm');
        $database = WorkbenchDatabase::MySql->environment();
        $this->app = ScratchApplication::toBeInstalled();
        $this->isOnAServer = true;
        $this->pdo = new PDO(
            "mysql:host={$database['DB_HOST']};port={$database['DB_PORT']}",
            $database['DB_USERNAME'],
            $database['DB_PASSWORD'],
        );
        $database['DB_DATABASE'] = $this->schema = 'fresh_'.bin2hex(random_bytes(6));
        $this->pdo->exec("create database {$this->schema}");
        $lines = array_map(
            static fn (string $name, string $value): string => "{$name}={$value}",
            array_keys($database),
            $database,
        );
        $this->app->write(
            '.env',
            str_replace("DB_CONNECTION=sqlite\n", implode("\n", $lines)."\n", $this->app->read('.env')),
        );

        $this->passesTheArticlesSteps(PHP_VERSION_ID >= 80300 ? 13 : 12);
    }

    private function passesTheArticlesSteps(int $version): void
    {
        Package::installLaravel($this->app(), "^{$version}.0");
        $without = Package::versions($this->app());
        Package::requireHeadroom($this->app());
        $this->handOver();

        $others = array_diff_key(Package::versions($this->app()), ['headroom/headroom' => null]);
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

    private function handOver(): void
    {
        if ($this->person() !== null) {
            $this->app()->run(['chown', '-R', 'www-data:www-data', $this->app()->path()]);
        }
    }

    private function person(): ?Person
    {
        return $this->isOnAServer && posix_geteuid() === 0 ? Person::webServer() : null;
    }

    private function installs(): void
    {
        $app = $this->app();
        $this->artisan('spool:install');

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
        $config = new WebConfig(
            $app->path('public/index.php'),
            workers: 1,
            user: $this->isOnAServer ? 'www-data' : 'root',
        );
        $server = $this->isOnAServer ? WebStack::start($config) : BuiltInServer::start($config);

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
        Patience::until(
            fn (): bool => str_contains($this->artisan('spool:status', '--json')->out, "\"delivered\": {$delivered},"),
            'the flush in the background has ended',
        );
        $this->artisan('spool:health');

        $status = json_decode($this->artisan('spool:status', '--json')->out, true, flags: JSON_THROW_ON_ERROR);
        self::assertIsArray($status);
        self::assertIsArray($status['buckets']);
        self::assertIsArray($status['buckets'][0]);
        self::assertSame(
            [
                'bucket' => 'api-events',
                'sink' => 'database',
                'accepted' => $delivered,
                'delivered' => $delivered,
                'dead' => 0,
                'dropped' => 0,
                'pending' => 0,
                'missing' => 0,
            ],
            array_slice($status['buckets'][0], 0, 8),
        );

        $about = json_decode($this->artisan('about', '--only=headroom', '--json')->out, true);
        self::assertSame('api-events', Dug::out($about, 'headroom', 'buckets'));
        $flush = Dug::out($about, 'headroom', 'flush');
        self::assertIsString($flush);
        Snapshot::assertPrinted('about', 'the schedule is on', $flush);
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
        if ($this->pdo === null) {
            return array_column($this->app()->rows('select endpoint from api_events order by id'), 'endpoint');
        }

        $rows = $this->pdo->query("select endpoint from {$this->schema}.api_events order by id");

        return $rows === false ? [] : array_values($rows->fetchAll(PDO::FETCH_COLUMN));
    }

    private function artisan(string ...$arguments): Outcome
    {
        $person = $this->person();
        $outcome = $person === null
            ? $this->app()->artisan(...$arguments)
            : $this->app()->artisanAs($person, ...$arguments);
        self::assertSame(0, $outcome->exit, implode(' ', $arguments).": {$outcome->all()}");

        return $outcome;
    }

    private function app(): ScratchApplication
    {
        return $this->app ?? self::fail('There is no application.');
    }
}
