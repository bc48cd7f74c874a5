<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

use Headroom\Process\Programs;
use Headroom\Tests\Laravel\WorkbenchDatabase;
use Illuminate\Database\Capsule\Manager;
use Illuminate\Database\Connection;
use PHPUnit\Framework\Assert;

/**
 * Machines are roots of their own, with processes of their own, that share a database.
 */
final readonly class Machines
{
    public ScratchApplication $app;

    public Connection $connection;

    /** @var array<string, string> */
    private array $database;

    public function __construct(WorkbenchDatabase $database)
    {
        $this->database = $database->environment();
        $this->app = ScratchApplication::onThisCheckout();
        $this->config('');
        $capsule = new Manager;
        $capsule->addConnection(
            $database === WorkbenchDatabase::Sqlite
                ? ['driver' => 'sqlite', 'database' => $this->app->path('database/database.sqlite')]
                : [
                    'driver' => $database->value,
                    'host' => $this->database['DB_HOST'],
                    'port' => $this->database['DB_PORT'],
                    'database' => $this->database['DB_DATABASE'],
                    'username' => $this->database['DB_USERNAME'],
                    'password' => $this->database['DB_PASSWORD'],
                    'charset' => $database === WorkbenchDatabase::PostgreSql ? 'utf8' : 'utf8mb4',
                ],
        );
        $this->connection = $capsule->getConnection();
        copy(
            dirname(__DIR__, 3).'/database/migrations/2026_01_01_000001_create_spool_nodes_table.php',
            $this->app->path('database/migrations/2026_01_01_000001_create_spool_nodes_table.php'),
        );
        $migrated = $this->run('a', 'migrate:fresh', '--force');
        Assert::assertSame(0, $migrated->exit, $migrated->all());
    }

    public function config(string $settings): void
    {
        $this->app->config('spool', "['path' => env('SPOOL_PATH'), {$settings} 'buckets' => [
            'now' => ['sink' => 'file', 'path' => storage_path('now')],
            'later' => ['sink' => 'file', 'path' => storage_path('later'), 'schedule' => false],
        ]]");
    }

    /** @param int $waiting events that nothing delivers yet */
    public function node(string $name, int $waiting): void
    {
        $this->run($name, 'app:buffer', '1', 'now');

        if ($waiting > 0) {
            $this->run($name, 'app:buffer', (string) $waiting, 'later');
        }

        $flushed = $this->run($name, 'spool:flush', '--scheduled');
        Assert::assertSame(0, $flushed->exit, $flushed->all());
    }

    public function beatAgain(string $name, int $more): void
    {
        $file = $this->app->path("storage/{$name}/heartbeat");
        touch($file, (int) filemtime($file) - 100);
        $this->node($name, $more);
    }

    /**
     * A database that stalls for two seconds puts a heartbeat off for minutes, as it should;
     * here it is asked again at once.
     */
    public function told(string $name): void
    {
        $file = $this->app->path("storage/{$name}/heartbeat");

        for ($try = 1; $try <= 3; $try++) {
            clearstatcache(true, $file);

            if ((int) filemtime($file) < time() + 60) {
                break;
            }

            touch($file, time() - 100);
            Assert::assertSame(0, $this->run($name, 'spool:flush', '--scheduled')->exit);
        }
    }

    public function run(string $name, string ...$arguments): Outcome
    {
        return $this->app->run(
            [Programs::php(), 'artisan', '--no-ansi', ...array_values($arguments)],
            [...$this->database, 'SPOOL_PATH' => $this->app->path("storage/{$name}"), 'COLUMNS' => '200'],
        );
    }

    public function remove(): void
    {
        $this->connection->getSchemaBuilder()->dropIfExists('spool_nodes');
        $this->connection->getSchemaBuilder()->dropIfExists('migrations');
        $this->app->remove();
    }
}
