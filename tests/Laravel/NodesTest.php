<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Host\Proc;
use Headroom\Host\Programs;
use Headroom\Tests\Laravel\Support\Outcome;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use Headroom\Tests\Laravel\Support\Worker;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use Illuminate\Database\Capsule\Manager;
use Illuminate\Database\Connection;
use Illuminate\Filesystem\Filesystem;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Machines are roots of their own, with processes of their own, that share a database.
 */
#[Group('snapshot')]
final class NodesTest extends TestCase
{
    private ScratchApplication $app;

    /** @var array<string, string> */
    private array $database = [];

    private Connection $connection;

    protected function tearDown(): void
    {
        if (isset($this->connection)) {
            $this->connection->getSchemaBuilder()->dropIfExists('spool_nodes');
            $this->connection->getSchemaBuilder()->dropIfExists('migrations');
        }

        if (isset($this->app)) {
            $this->app->remove();
        }
    }

    #[Test, Group('day-1')]
    #[DataProviderExternal(WorkbenchDatabase::class, 'sampled')]
    public function each_machine_sees_what_waits_on_all_of_them(WorkbenchDatabase $database): void
    {
        $this->boot($database);
        $this->node('a', 3);
        $this->node('b', 4);
        $this->told('a');
        $this->told('b');

        // Beside the two that have told: what is on this disk now.
        $this->on('a', 'app:buffer', '2', 'later');
        $seen = $this->all('a');
        self::assertSame([9, 0, []], [$seen['pending'], $seen['silent'], $seen['problems']]);
        self::assertSame([5, 4], array_column($this->byPath($seen), 'pending'));
        self::assertSame([gethostname(), gethostname()], array_column($this->byPath($seen), 'host'));

        self::assertSame([0, 1], [$this->on('b', 'spool:status', '--all', '--max-pending=9')->exit, $this->on('b', 'spool:status', '--all', '--max-pending=6')->exit]);
        self::assertMatchesRegularExpression('/^\w+ +2 \w+ +7 /m', $this->on('b', 'spool:status', '--all')->out);
        self::assertSame(['later', 'now'], array_keys((array) $this->byPath($seen)['a']['buckets']));
    }

    #[Test]
    #[DataProviderExternal(WorkbenchDatabase::class, 'sampled')]
    public function a_heartbeat_moves_its_row_and_removes_that_of_the_last_boot(WorkbenchDatabase $database): void
    {
        $this->boot($database);
        $this->node('a', 1);
        $this->told('a');
        $row = (array) $this->connection->table('spool_nodes')->first();
        $this->connection->table('spool_nodes')->insert(['machine' => 'before', 'since' => '2020-01-01 00:00:00', 'last_seen' => '2020-01-02 00:00:00'] + $row);
        $this->connection->table('spool_nodes')->insert(['node' => str_repeat('f', 32), 'since' => '2020-01-01 00:00:00', 'last_seen' => '2020-01-02 00:00:00'] + $row);
        $this->beatAgain('a', 2);
        $this->told('a');

        $rows = $this->connection->table('spool_nodes')->orderBy('node')->get()->all();
        self::assertCount(2, $rows, 'Another disk is left alone.');
        $mine = (array) $this->connection->table('spool_nodes')->where('machine', $row['machine'])->where('node', $row['node'])->first();
        self::assertEquals([3, $row['since']], [$mine['pending'], $mine['since']]);
    }

    #[Test]
    public function a_machine_with_a_wrong_clock_has_its_age_by_the_databases_clock(): void
    {
        $this->boot(WorkbenchDatabase::Sqlite);
        $this->node('a', 1);
        $this->connection->table('spool_nodes')->update(['node' => str_repeat('f', 32), 'last_seen' => $this->connection->raw("datetime('now', '-250 seconds')")]);
        self::assertEqualsWithDelta(250, $this->byPath($this->all('b'))['a']['seen_seconds'], 30);
        self::assertSame(0, $this->on('b', 'spool:status', '--all')->exit);
    }

    #[Test, Group('day-2')]
    public function a_silent_machine_with_events_is_an_alarm_until_it_is_forgotten_on_purpose(): void
    {
        $this->boot(WorkbenchDatabase::Sqlite);
        $this->node('a', 3);
        $this->node('b', 0);
        $id = $this->silence('a');

        $status = $this->on('b', 'spool:status', '--all');
        self::assertSame(1, $status->exit);
        $remark = substr((string) strstr($status->out, "\n\n"), 2);
        Sentence::assertNames(['3', $this->app->path('storage/a'), 'spool:adopt', "spool:forget {$id} --force"], $remark);
        $this->assertPrinted('spool:status', 'a machine is silent', strstr($status->out, "\n", true)."\n{$remark}");
        self::assertStringContainsString('NOTE', $this->on('b', 'spool:health')->out);

        $refused = $this->on('b', 'spool:forget', substr($id, 0, 8));
        self::assertSame(1, $refused->exit);
        Sentence::assertNames(['3', $this->app->path('storage/a')], $refused->err);
        $this->assertPrinted('spool:forget', 'no silent machine', $this->on('b', 'spool:forget', '--empty')->out);
        self::assertSame(2, $this->connection->table('spool_nodes')->count());
        self::assertSame(2, $this->on('b', 'spool:forget')->exit);
        self::assertSame(1, $this->on('b', 'spool:forget', 'abc')->exit);

        self::assertSame(0, $this->on('b', 'spool:forget', substr($id, 0, 8), '--force')->exit);
        self::assertSame(0, $this->on('b', 'spool:status', '--all')->exit);
    }

    #[Test, Group('day-1')]
    public function an_adopted_machine_is_forgotten_once_all_of_it_is_delivered(): void
    {
        $this->boot(WorkbenchDatabase::Sqlite);
        $this->node('a', 3);
        $this->node('b', 0);
        $this->silence('a');
        self::assertSame(0, $this->on('b', 'spool:adopt', $this->app->path('storage/a'), 'now', '--force')->exit);
        self::assertSame(1, $this->on('b', 'spool:status', '--all')->exit, 'Only a part of it was asked for.');

        $adopted = $this->on('b', 'spool:adopt', $this->app->path('storage/a'), '--force');
        self::assertSame(0, $adopted->exit, $adopted->all());
        self::assertSame(0, $this->on('b', 'spool:status', '--all')->exit);
        self::assertSame(1, $this->connection->table('spool_nodes')->count());
    }

    #[Test, Group('day-1')]
    public function silent_ones_on_which_nothing_waited_are_forgotten_together_and_living_ones_never(): void
    {
        $this->boot(WorkbenchDatabase::Sqlite);
        $this->node('a', 0);
        $this->node('b', 0);
        $living = $this->connection->table('spool_nodes')->where('path', $this->app->path('storage/b'))->value('node');
        $this->silence('a');

        self::assertSame(0, $this->on('b', 'spool:status', '--all')->exit);
        self::assertSame(0, $this->on('b', 'spool:forget', '--empty')->exit);
        self::assertSame([$living], $this->connection->table('spool_nodes')->pluck('node')->all());
        $refused = $this->on('b', 'spool:forget', is_string($living) ? $living : '', '--force');
        self::assertSame([1, 1], [$refused->exit, $this->connection->table('spool_nodes')->count()]);
        $this->assertPrinted('spool:forget', 'the machine lives', $refused->err);
    }

    #[Test, Group('day-2')]
    public function one_id_on_two_machines_fails_health_and_names_both(): void
    {
        $this->boot(WorkbenchDatabase::Sqlite);
        $this->node('a', 1);
        (new Filesystem)->copyDirectory($this->app->path('storage/a'), $this->app->path('storage/copy'));
        $this->beatAgain('copy', 1);
        $this->beatAgain('a', 0);

        $health = $this->on('a', 'spool:health');
        self::assertSame(1, $health->exit);
        $id = trim($this->app->read('storage/a/node'));
        $machine = '\('.preg_quote($this->app->path('storage/'), '~').'(a|copy), pid \d+\)';
        self::assertMatchesRegularExpression("~ FAIL  node {$id}: .*{$machine}.*{$machine}~", $health->out);
        self::assertSame(1, $this->on('b', 'spool:status', '--all')->exit);
    }

    #[Test, Group('day-2')]
    public function a_boot_that_follows_another_one_is_no_second_machine(): void
    {
        $this->boot(WorkbenchDatabase::Sqlite);
        $this->node('a', 0);
        $this->connection->table('spool_nodes')->update(['machine' => 'before', 'since' => '2020-01-01 00:00:00', 'last_seen' => $this->connection->raw("datetime('now', '-60 seconds')")]);
        $this->beatAgain('a', 0);

        self::assertSame(2, $this->connection->table('spool_nodes')->count());
        $health = $this->on('a', 'spool:health');
        self::assertSame([0, 0], [$health->exit, substr_count($health->out, 'FAIL  node ')], $health->all());
        self::assertCount(1, (array) $this->all('a')['nodes']);
    }

    #[Test, Group('day-3')]
    public function without_the_table_nothing_is_in_the_way_and_health_says_it_once(): void
    {
        $this->boot(WorkbenchDatabase::Sqlite);
        $this->connection->getSchemaBuilder()->drop('spool_nodes');
        $this->node('a', 2);

        $health = $this->on('a', 'spool:health');
        self::assertSame([0, 1], [$health->exit, preg_match_all('/^ NOTE  heartbeats: .*spool_nodes/m', $health->out)]);
        $status = $this->on('a', 'spool:status', '--all');
        self::assertSame(1, $status->exit);
        Sentence::assertNames(['spool_nodes', '`php artisan spool:install`', '`php artisan migrate`'], $status->err);
        Snapshot::assertPrinted('spool:status', 'there is no table of machines', $status->err);

        $this->config("'heartbeats' => false,");
        self::assertStringNotContainsString('spool_nodes', $this->on('a', 'spool:health')->out);
    }

    #[Test]
    public function a_database_that_never_answers_does_not_fail_a_delivery(): void
    {
        $this->boot(WorkbenchDatabase::Sqlite);
        $server = stream_socket_server('tcp://127.0.0.1:0');
        self::assertIsResource($server);
        $port = explode(':', (string) stream_socket_get_name($server, false))[1];
        $this->config("'heartbeats' => 'deaf',");
        $this->app->config('database', "['default' => 'sqlite', 'connections' => ['deaf' => ['driver' => 'mysql', 'host' => '127.0.0.1', 'port' => {$port}, 'database' => 'x', 'username' => 'x', 'password' => '', 'prefix' => '', 'charset' => 'utf8mb4', 'collation' => null], 'sqlite' => ['driver' => 'sqlite', 'database' => database_path('database.sqlite'), 'prefix' => '']], 'migrations' => ['table' => 'migrations']]");
        $this->on('a', 'app:buffer', '2', 'now');
        $flushed = $this->on('a', 'spool:flush');

        self::assertSame([0, 1], [$flushed->exit, preg_match_all('/^now: 2 .* 1 /m', $flushed->out)], $flushed->all());
        self::assertGreaterThan(60, (int) filemtime($this->app->path('storage/a/heartbeat')) - (int) filemtime($this->app->path('storage/a/node')), 'It is not asked again for minutes.');
        fclose($server);
    }

    #[Test]
    public function a_database_that_is_down_is_a_note_of_health_and_fails_no_flush(): void
    {
        $this->boot(WorkbenchDatabase::Sqlite);
        $this->config("'heartbeats' => 'nowhere',");
        $this->app->config('database', "['default' => 'sqlite', 'connections' => ['nowhere' => ['driver' => 'sqlite', 'database' => database_path('gone.sqlite'), 'prefix' => ''], 'sqlite' => ['driver' => 'sqlite', 'database' => database_path('database.sqlite'), 'prefix' => '']], 'migrations' => ['table' => 'migrations']]");
        $this->node('a', 1);

        $health = $this->on('a', 'spool:health');
        self::assertSame([0, 1], [$health->exit, preg_match_all('/^ NOTE  heartbeats: .*gone\.sqlite/m', $health->out)]);
        $status = $this->on('a', 'spool:status', '--all');
        self::assertSame(1, $status->exit);
        Sentence::assertNames(['spool_nodes', $this->app->path('database/gone.sqlite')], $status->err);
        self::assertFileDoesNotExist($this->app->path('database/gone.sqlite'));
    }

    #[Test]
    public function a_worker_tells_also_when_nothing_waits(): void
    {
        $this->boot(WorkbenchDatabase::Sqlite);
        $this->on('a', 'app:buffer', '1', 'now');
        $worked = $this->on('a', 'spool:work', 'now', '--stop-when-empty');
        self::assertSame(0, $worked->exit, $worked->all());
        self::assertSame(1, $this->connection->table('spool_nodes')->count());
    }

    #[Test, Group('day-3')]
    #[RequiresPhpExtension('pcntl')]
    public function of_a_worker_with_several_buckets_the_one_above_has_it_done(): void
    {
        $this->boot(WorkbenchDatabase::Sqlite);
        $this->app->write('.env', str_replace('SPOOL_PATH=', '#', $this->app->read('.env'))."\nSPOOL_PATH={$this->app->path('storage/a')}\n");
        $this->on('a', 'app:buffer', '1', 'later');
        $worker = Worker::start($this->app);

        try {
            $worker->await(fn (): bool => $this->connection->table('spool_nodes')->count() === 1, 'told that it lives');
            $worker->signal(SIGTERM);
            self::assertSame(0, $worker->exitCode(), $worker->output());
        } finally {
            $worker->remove();
        }
    }

    #[Test, Group('day-3')]
    #[RequiresPhpExtension('pcntl')]
    public function when_the_one_above_is_killed_heartbeats_end_too(): void
    {
        $this->boot(WorkbenchDatabase::Sqlite);
        $this->app->write('.env', str_replace('SPOOL_PATH=', '#', $this->app->read('.env'))."\nSPOOL_PATH={$this->app->path('storage/a')}\n");
        $this->on('a', 'app:buffer', '1', 'later');
        $worker = Worker::start($this->app);

        try {
            $heartbeat = $worker->child('heartbeat');
            $worker->await(fn (): bool => $this->connection->table('spool_nodes')->count() === 1, 'told that it lives');
            $worker->signal(SIGKILL);
            $worker->await(static fn (): bool => ! (new Proc)->isAlive($heartbeat), 'let go of it');
            self::assertGreaterThan(0, $heartbeat);
        } finally {
            $worker->remove();
        }
    }

    private function boot(WorkbenchDatabase $database): void
    {
        $this->database = $database->environment();
        $this->app = ScratchApplication::onThisCheckout();
        $this->config('');
        $capsule = new Manager;
        $capsule->addConnection($database === WorkbenchDatabase::Sqlite ? ['driver' => 'sqlite', 'database' => $this->app->path('database/database.sqlite')] : [
            'driver' => $database->value,
            'host' => $this->database['DB_HOST'],
            'port' => $this->database['DB_PORT'],
            'database' => $this->database['DB_DATABASE'],
            'username' => $this->database['DB_USERNAME'],
            'password' => $this->database['DB_PASSWORD'],
            'charset' => $database === WorkbenchDatabase::PostgreSql ? 'utf8' : 'utf8mb4',
        ]);
        $this->connection = $capsule->getConnection();
        copy(dirname(__DIR__, 2).'/database/migrations/2026_01_01_000001_create_spool_nodes_table.php', $this->app->path('database/migrations/2026_01_01_000001_create_spool_nodes_table.php'));
        $migrated = $this->on('a', 'migrate:fresh', '--force');
        self::assertSame(0, $migrated->exit, $migrated->all());
    }

    private function config(string $settings): void
    {
        $this->app->config('spool', "['path' => env('SPOOL_PATH'), {$settings} 'buckets' => [
            'now' => ['sink' => 'file', 'path' => storage_path('now')],
            'later' => ['sink' => 'file', 'path' => storage_path('later'), 'schedule' => false],
        ]]");
    }

    /** @param int $waiting events that nothing delivers yet */
    private function node(string $name, int $waiting): void
    {
        $this->on($name, 'app:buffer', '1', 'now');

        if ($waiting > 0) {
            $this->on($name, 'app:buffer', (string) $waiting, 'later');
        }

        $flushed = $this->on($name, 'spool:flush', '--scheduled');
        self::assertSame(0, $flushed->exit, $flushed->all());
    }

    private function beatAgain(string $name, int $more): void
    {
        $file = $this->app->path("storage/{$name}/heartbeat");
        touch($file, (int) filemtime($file) - 100);
        $this->node($name, $more);
    }

    /** A database that stalls for two seconds puts a heartbeat off for minutes, as it should; here it is asked again at once. */
    private function told(string $name): void
    {
        $file = $this->app->path("storage/{$name}/heartbeat");

        for ($try = 1; $try <= 3; $try++) {
            clearstatcache(true, $file);

            if ((int) filemtime($file) < time() + 60) {
                break;
            }

            touch($file, time() - 100);
            self::assertSame(0, $this->on($name, 'spool:flush', '--scheduled')->exit);
        }
    }

    private function silence(string $name): string
    {
        $row = $this->connection->table('spool_nodes')->where('path', $this->app->path("storage/{$name}"));
        $row->update(['last_seen' => '2020-01-02 00:00:00']);
        $id = $row->value('node');

        return is_string($id) ? $id : self::fail('It is not there.');
    }

    private function on(string $name, string ...$arguments): Outcome
    {
        return $this->app->run([Programs::php(), 'artisan', '--no-ansi', ...array_values($arguments)], [...$this->database, 'SPOOL_PATH' => $this->app->path("storage/{$name}"), 'COLUMNS' => '200']);
    }

    private function assertPrinted(string $command, string $case, string $printed): void
    {
        Snapshot::assertPrinted($command, $case, str_replace(gethostname().' ', 'HOST ', $printed));
    }

    /** @return array<mixed> */
    private function all(string $name): array
    {
        $status = json_decode($this->on($name, 'spool:status', '--all', '--json')->out, true, flags: JSON_THROW_ON_ERROR);

        return is_array($status) ? $status : self::fail('No document.');
    }

    /**
     * @param array<mixed> $status
     * @return array<string, array<mixed>>
     */
    private function byPath(array $status): array
    {
        $nodes = [];

        foreach ((array) $status['nodes'] as $node) {
            self::assertIsArray($node);
            self::assertIsString($node['path']);
            $nodes[basename($node['path'])] = $node;
        }

        ksort($nodes);

        return $nodes;
    }
}
