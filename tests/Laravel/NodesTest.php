<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Process\Proc;
use Headroom\Tests\Laravel\Support\Machines;
use Headroom\Tests\Laravel\Support\Worker;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

#[Group('snapshot')]
final class NodesTest extends TestCase
{
    private Machines $machines;

    protected function tearDown(): void
    {
        if (isset($this->machines)) {
            $this->machines->remove();
        }
    }

    #[Test, Group('day-1')]
    #[DataProviderExternal(WorkbenchDatabase::class, 'sampled')]
    public function each_machine_sees_what_waits_on_all_of_them(WorkbenchDatabase $database): void
    {
        $this->machines = new Machines($database);
        $this->machines->node('a', 3);
        $this->machines->node('b', 4);
        $this->machines->told('a');
        $this->machines->told('b');

        // Beside the two that have told: what is on this disk now.
        $this->machines->run('a', 'app:buffer', '2', 'later');
        $seen = $this->all('a');
        self::assertSame([9, 0, []], [$seen['pending'], $seen['silent'], $seen['problems']]);
        self::assertSame([5, 4], array_column($this->byPath($seen), 'pending'));
        self::assertSame([gethostname(), gethostname()], array_column($this->byPath($seen), 'host'));

        self::assertSame(
            [0, 1],
            [
                $this->machines->run('b', 'spool:status', '--all', '--max-pending=9')->exit,
                $this->machines->run('b', 'spool:status', '--all', '--max-pending=6')->exit,
            ],
        );
        self::assertMatchesRegularExpression(
            '/^\w+ +2 \w+ +7 /m',
            $this->machines->run('b', 'spool:status', '--all')->out,
        );
        self::assertSame(['later', 'now'], array_keys((array) $this->byPath($seen)['a']['buckets']));
    }

    #[Test]
    #[DataProviderExternal(WorkbenchDatabase::class, 'sampled')]
    public function a_heartbeat_moves_its_row_and_removes_that_of_the_last_boot(WorkbenchDatabase $database): void
    {
        $this->machines = new Machines($database);
        $this->machines->node('a', 1);
        $this->machines->told('a');
        $row = (array) $this->machines->connection->table('spool_nodes')->first();
        $this->machines->connection->table('spool_nodes')->insert(
            ['machine' => 'before', 'since' => '2020-01-01 00:00:00', 'last_seen' => '2020-01-02 00:00:00'] + $row,
        );
        $this->machines->connection->table('spool_nodes')->insert(
            ['node' => str_repeat('f', 32), 'since' => '2020-01-01 00:00:00', 'last_seen' => '2020-01-02 00:00:00']
                + $row,
        );
        $this->machines->beatAgain('a', 2);
        $this->machines->told('a');

        $rows = $this->machines->connection->table('spool_nodes')->orderBy('node')->get()->all();
        self::assertCount(2, $rows, 'Another disk is left alone.');
        $mine = (array) $this->machines->connection->table('spool_nodes')
            ->where('machine', $row['machine'])
            ->where('node', $row['node'])
            ->first();
        self::assertEquals([3, $row['since']], [$mine['pending'], $mine['since']]);
    }

    #[Test]
    public function a_machine_with_a_wrong_clock_has_its_age_by_the_databases_clock(): void
    {
        $this->machines = new Machines(WorkbenchDatabase::Sqlite);
        $this->machines->node('a', 1);
        $this->machines->connection->table('spool_nodes')->update([
            'node' => str_repeat('f', 32),
            'last_seen' => $this->machines->connection->raw("datetime('now', '-250 seconds')"),
        ]);
        self::assertEqualsWithDelta(250, $this->byPath($this->all('b'))['a']['seen_seconds'], 30);
        self::assertSame(0, $this->machines->run('b', 'spool:status', '--all')->exit);
    }

    #[Test, Group('day-2')]
    public function a_silent_machine_with_events_is_an_alarm_until_it_is_forgotten_on_purpose(): void
    {
        $this->machines = new Machines(WorkbenchDatabase::Sqlite);
        $this->machines->node('a', 3);
        $this->machines->node('b', 0);
        $id = $this->silence('a');

        $status = $this->machines->run('b', 'spool:status', '--all');
        self::assertSame(1, $status->exit);
        $remark = substr((string) strstr($status->out, "\n\n"), 2);
        Sentence::assertNames(
            ['3', $this->machines->app->path('storage/a'), 'spool:adopt', "spool:forget-node {$id} --force"],
            $remark,
        );
        $this->assertPrinted('spool:status', 'a machine is silent', strstr($status->out, "\n", true)."\n{$remark}");
        self::assertStringContainsString('NOTE', $this->machines->run('b', 'spool:health')->out);

        $refused = $this->machines->run('b', 'spool:forget-node', substr($id, 0, 8));
        self::assertSame(1, $refused->exit);
        Sentence::assertNames(['3', $this->machines->app->path('storage/a')], $refused->err);
        $this->assertPrinted(
            'spool:forget-node',
            'no silent machine',
            $this->machines->run('b', 'spool:forget-node', '--empty')->out,
        );
        self::assertSame(2, $this->machines->connection->table('spool_nodes')->count());
        self::assertSame(2, $this->machines->run('b', 'spool:forget-node')->exit);
        self::assertSame(1, $this->machines->run('b', 'spool:forget-node', 'abc')->exit);

        self::assertSame(0, $this->machines->run('b', 'spool:forget-node', substr($id, 0, 8), '--force')->exit);
        self::assertSame(0, $this->machines->run('b', 'spool:status', '--all')->exit);
    }

    #[Test, Group('day-1')]
    public function an_adopted_machine_is_forgotten_once_all_of_it_is_delivered(): void
    {
        $this->machines = new Machines(WorkbenchDatabase::Sqlite);
        $this->machines->node('a', 3);
        $this->machines->node('b', 0);
        $this->silence('a');
        self::assertSame(
            0,
            $this->machines->run('b', 'spool:adopt', $this->machines->app->path('storage/a'), 'now', '--force')->exit,
        );
        self::assertSame(
            1,
            $this->machines->run('b', 'spool:status', '--all')->exit,
            'Only a part of it was asked for.',
        );

        $adopted = $this->machines->run('b', 'spool:adopt', $this->machines->app->path('storage/a'), '--force');
        self::assertSame(0, $adopted->exit, $adopted->all());
        self::assertSame(0, $this->machines->run('b', 'spool:status', '--all')->exit);
        self::assertSame(1, $this->machines->connection->table('spool_nodes')->count());
    }

    #[Test, Group('day-1')]
    public function silent_ones_on_which_nothing_waited_are_forgotten_together_and_living_ones_never(): void
    {
        $this->machines = new Machines(WorkbenchDatabase::Sqlite);
        $this->machines->node('a', 0);
        $this->machines->node('b', 0);
        $living = $this->machines->connection->table('spool_nodes')
            ->where('path', $this->machines->app->path('storage/b'))
            ->value('node');
        $this->silence('a');

        self::assertSame(0, $this->machines->run('b', 'spool:status', '--all')->exit);
        self::assertSame(0, $this->machines->run('b', 'spool:forget-node', '--empty')->exit);
        self::assertSame([$living], $this->machines->connection->table('spool_nodes')->pluck('node')->all());
        $refused = $this->machines->run('b', 'spool:forget-node', is_string($living) ? $living : '', '--force');
        self::assertSame([1, 1], [$refused->exit, $this->machines->connection->table('spool_nodes')->count()]);
        $this->assertPrinted('spool:forget-node', 'the machine lives', $refused->err);
    }

    #[Test, Group('day-3')]
    public function without_the_table_nothing_is_in_the_way_and_health_says_it_once(): void
    {
        $this->machines = new Machines(WorkbenchDatabase::Sqlite);
        $this->machines->connection->getSchemaBuilder()->drop('spool_nodes');
        $this->machines->node('a', 2);

        $health = $this->machines->run('a', 'spool:health');
        self::assertSame([0, 1], [$health->exit, preg_match_all('/^ NOTE  heartbeats: .*spool_nodes/m', $health->out)]);
        $status = $this->machines->run('a', 'spool:status', '--all');
        self::assertSame(1, $status->exit);
        Sentence::assertNames(['spool_nodes', '`spool:install`', '`migrate`'], $status->err);
        Snapshot::assertPrinted('spool:status', 'there is no table of machines', $status->err);

        $this->machines->config("'heartbeats' => false,");
        self::assertStringNotContainsString('spool_nodes', $this->machines->run('a', 'spool:health')->out);
    }

    #[Test]
    public function a_database_that_never_answers_does_not_fail_a_delivery(): void
    {
        $this->machines = new Machines(WorkbenchDatabase::Sqlite);
        $server = stream_socket_server('tcp://127.0.0.1:0');
        self::assertIsResource($server);
        $port = explode(':', (string) stream_socket_get_name($server, false))[1];
        $this->machines->config("'heartbeats' => 'deaf',");
        $this->machines->app->config(
            'database',
            "['default' => 'sqlite', 'connections' => ['deaf' => ['driver' => 'mysql', 'host' => '127.0.0.1', 'port' =>"
                ." {$port}, 'database' => 'x', 'username' => 'x', 'password' => '', 'prefix' => '', 'charset' =>"
                ." 'utf8mb4', 'collation' => null], 'sqlite' => ['driver' => 'sqlite', 'database' =>"
                ." database_path('database.sqlite'), 'prefix' => '']], 'migrations' => ['table' => 'migrations']]",
        );
        $this->machines->run('a', 'app:buffer', '2', 'now');
        $flushed = $this->machines->run('a', 'spool:flush');

        self::assertSame([0, 1], [$flushed->exit, preg_match_all('/^now: 2 .* 1 /m', $flushed->out)], $flushed->all());
        self::assertGreaterThan(
            30,
            (int) filemtime($this->machines->app->path('storage/a/heartbeat'))
                - (int) filemtime($this->machines->app->path('storage/a/node')),
            'It is asked again after a minute, and not at the next heartbeat.',
        );
        fclose($server);
    }

    #[Test]
    public function a_database_that_is_down_is_a_note_of_health_and_fails_no_flush(): void
    {
        $this->machines = new Machines(WorkbenchDatabase::Sqlite);
        $this->machines->config("'heartbeats' => 'nowhere',");
        $this->machines->app->config(
            'database',
            "['default' => 'sqlite', 'connections' => ['nowhere' => ['driver' => 'sqlite', 'database' =>"
                ." database_path('gone.sqlite'), 'prefix' => ''], 'sqlite' => ['driver' => 'sqlite', 'database' =>"
                ." database_path('database.sqlite'), 'prefix' => '']], 'migrations' => ['table' => 'migrations']]",
        );
        $this->machines->node('a', 1);

        $health = $this->machines->run('a', 'spool:health');
        self::assertSame(
            [0, 1],
            [$health->exit, preg_match_all('/^ NOTE  heartbeats: .*gone\.sqlite/m', $health->out)],
        );
        $status = $this->machines->run('a', 'spool:status', '--all');
        self::assertSame(1, $status->exit);
        Sentence::assertNames(['spool_nodes', $this->machines->app->path('database/gone.sqlite')], $status->err);
        self::assertFileDoesNotExist($this->machines->app->path('database/gone.sqlite'));
    }

    #[Test]
    public function a_worker_tells_also_when_nothing_waits(): void
    {
        $this->machines = new Machines(WorkbenchDatabase::Sqlite);
        $this->machines->run('a', 'app:buffer', '1', 'now');
        $worked = $this->machines->run('a', 'spool:work', 'now', '--stop-when-empty');
        self::assertSame(0, $worked->exit, $worked->all());
        self::assertSame(1, $this->machines->connection->table('spool_nodes')->count());
    }

    #[Test, Group('day-3')]
    #[RequiresPhpExtension('pcntl')]
    public function of_a_worker_with_several_buckets_the_one_above_has_it_done(): void
    {
        $this->machines = new Machines(WorkbenchDatabase::Sqlite);
        $this->machines->app->write(
            '.env',
            str_replace('SPOOL_PATH=', '#', $this->machines->app->read('.env'))
                ."\nSPOOL_PATH={$this->machines->app->path('storage/a')}\n",
        );
        $this->machines->run('a', 'app:buffer', '1', 'later');
        $worker = Worker::start($this->machines->app);

        try {
            $worker->await(
                fn (): bool => $this->machines->connection->table('spool_nodes')->count() === 1,
                'told that it lives',
            );
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
        $this->machines = new Machines(WorkbenchDatabase::Sqlite);
        $this->machines->app->write(
            '.env',
            str_replace('SPOOL_PATH=', '#', $this->machines->app->read('.env'))
                ."\nSPOOL_PATH={$this->machines->app->path('storage/a')}\n",
        );
        $this->machines->run('a', 'app:buffer', '1', 'later');
        $worker = Worker::start($this->machines->app);

        try {
            $heartbeat = $worker->child('heartbeat');
            $worker->await(
                fn (): bool => $this->machines->connection->table('spool_nodes')->count() === 1,
                'told that it lives',
            );
            $worker->signal(SIGKILL);
            $worker->await(static fn (): bool => ! (new Proc)->isAlive($heartbeat), 'let go of it');
            self::assertGreaterThan(0, $heartbeat);
        } finally {
            $worker->remove();
        }
    }

    private function silence(string $name): string
    {
        $row = $this->machines->connection->table('spool_nodes')
            ->where('path', $this->machines->app->path("storage/{$name}"));
        $row->update(['last_seen' => '2020-01-02 00:00:00']);
        $id = $row->value('node');

        return is_string($id) ? $id : self::fail('It is not there.');
    }

    private function assertPrinted(string $command, string $case, string $printed): void
    {
        Snapshot::assertPrinted($command, $case, str_replace(gethostname().' ', 'HOST ', $printed));
    }

    /** @return array<mixed> */
    private function all(string $name): array
    {
        $status = json_decode(
            $this->machines->run($name, 'spool:status', '--all', '--json')->out,
            true,
            flags: JSON_THROW_ON_ERROR,
        );

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
