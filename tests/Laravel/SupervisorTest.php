<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Process\Proc;
use Headroom\Tests\Laravel\Support\ApplicationTestCase;
use Headroom\Tests\Laravel\Support\Worker;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestDox;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * spool:work as it runs for months: several buckets, a process each, and what becomes of them. The supervisor's
 * decisions are in tests/Unit/Process/Supervision/SupervisorTest.php.
 */
#[RequiresPhpExtension('pcntl')]
#[RequiresPhpExtension('posix')]
#[Group('snapshot')]
final class SupervisorTest extends ApplicationTestCase
{
    private ?Worker $worker = null;

    protected function setUp(): void
    {
        if (! is_dir('/proc/self/fd')) {
            self::markTestSkipped('There is no /proc here to see processes in.');
        }

        parent::setUp();
        $this->declare(
            "'api-events' => ['sink' => 'database', 'table' => 'api_events'], 'audit' => ['sink' => 'file', 'path' =>"
                ." storage_path('audit.ndjson')]",
        );
        $this->app->migrate();
    }

    protected function tearDown(): void
    {
        $this->worker?->remove();
        parent::tearDown();
    }

    #[Test, Group('day-3')]
    #[TestDox('sink that hangs')]
    public function a_sink_that_hangs_holds_no_other_bucket_up(): void
    {
        // The kernel accepts the connection, and no program ever answers.
        $silent = stream_socket_server('tcp://127.0.0.1:0');
        self::assertNotFalse($silent);
        $port = (int) preg_replace('/.*:/', '', (string) stream_socket_get_name($silent, false));
        $this->app->config(
            'database',
            "['default' => 'sqlite', 'connections' => ['sqlite' => ['driver' => 'sqlite', 'database' =>"
                ." database_path('database.sqlite'), 'prefix' => ''], 'silent' => ['driver' => 'mysql', 'host' =>"
                ." '127.0.0.1', 'port' => {$port}, 'database' => 'x', 'username' => 'x', 'password' => 'x', 'prefix' =>"
                ." '']], 'migrations' => ['table' => 'migrations']]",
        );
        $this->declare(
            "'a-silent' => ['sink' => 'database', 'table' => 'api_events', 'connection' => 'silent'], 'api-events' =>"
                ." ['sink' => 'database', 'table' => 'api_events']",
        );
        $this->app->artisan('app:buffer', '2', 'a-silent');
        $this->app->artisan('app:buffer', '3');

        $worker = $this->worker();
        $worker->await(
            static fn (): bool => (new Proc)->stat($worker->pid()) !== null
                && self::isConnected($worker->children(), $port),
            'reached the sink that hangs',
        );
        $worker->awaitPrinted('api-events: 3 ');
        $this->app->artisan('app:buffer', '4');
        $worker->awaitPrinted('api-events: 4 ');
        self::assertCount(7, $this->app->rows('select id from api_events'));
        self::assertTrue(self::isConnected($worker->children(), $port), 'The other one hangs still.');

        // It receives no signal while it hangs. A second signal tells its supervisor not to wait.
        $hanging = $worker->child('a-silent');
        $worker->signal(SIGTERM);
        $worker->awaitChildren(1);
        $worker->signal(SIGTERM);
        self::assertSame(0, $worker->exitCode(), $worker->output());
        self::assertMatchesRegularExpression('/^spool:work: .* a-silent /m', $worker->output());
        self::assertFalse((new Proc)->isAlive($hanging));

        $this->declare("'a-silent' => ['sink' => 'database', 'table' => 'api_events']");
        self::assertSame([2, 1], $this->app->artisan('spool:flush')->numbers());
    }

    #[Test, Group('day-1')]
    public function a_killed_process_is_started_again_and_the_others_do_not_notice(): void
    {
        $this->bufferInBoth();
        $worker = $this->worker();
        $worker->awaitChildren(2);
        [$killed, $other] = [$worker->child('audit'), $worker->child('api-events')];
        posix_kill($killed, SIGKILL);
        $worker->awaitLine('spool:work: .* audit .* 9; .* now');
        $worker->awaitChildren(2);

        self::assertSame($other, $worker->child('api-events'));
        self::assertNotSame($killed, $worker->child('audit'));
        $this->app->artisan('app:buffer', '2', 'audit');
        $worker->awaitPrinted('audit: 2 ');
    }

    #[Test, Group('day-3')]
    public function a_bucket_gets_its_process_with_its_first_event(): void
    {
        $this->app->artisan('app:buffer', '1');
        $worker = $this->worker();
        $worker->awaitPrinted('api-events: 1 ');
        $first = $worker->children();
        self::assertSame([$worker->child('api-events')], $first);

        $this->app->artisan('app:buffer', '2', 'audit');
        $worker->awaitPrinted('audit: 2 ');
        self::assertSame($first, [$worker->child('api-events')]);
        $this->app->artisan('app:buffer', '3', 'audit');
        $worker->awaitPrinted('audit: 3 ');
        $worker->signal(SIGTERM);
        self::assertSame(0, $worker->exitCode(), $worker->output());
    }

    #[Test]
    public function a_signal_ends_all_of_them_and_the_exit_code_is_0(): void
    {
        $this->bufferInBoth();
        // Ten minutes between two rounds: who slept on would run into the time limit of this test.
        $worker = $this->worker('--sleep=600');
        $worker->awaitChildren(2);
        $children = $worker->children();
        $worker->signal(SIGQUIT);

        self::assertSame(0, $worker->exitCode(), $worker->output());
        self::assertSame([], array_filter($children, (new Proc)->isAlive(...)));
        self::assertStringNotContainsString('killed', $worker->output());
    }

    #[Test]
    public function when_the_one_above_is_killed_the_others_end_by_themselves(): void
    {
        $this->bufferInBoth();
        $worker = $this->worker('--sleep=600');
        $worker->awaitChildren(2);
        $children = $worker->children();
        $worker->signal(SIGKILL);
        $worker->await(
            static fn (): bool => array_filter($children, (new Proc)->isAlive(...)) === [],
            'left no child behind',
        );

        self::assertCount(2, $children);
    }

    #[Test, Group('day-2')]
    #[TestWith([])]
    #[TestWith(['api-events'])]
    public function spool_restart_ends_a_worker_with_0_though_nothing_was_ever_buffered(string ...$buckets): void
    {
        $worker = $this->worker('--sleep=600', ...array_values($buckets));
        $worker->await(
            static fn (): bool => str_starts_with(implode(' ', (new Proc)->commandLine($worker->pid())), 'spool:work'),
            'began',
        );
        $asked = $this->app->artisan('spool:restart');

        self::assertSame(0, $asked->exit, $asked->all());
        self::assertSame(0, $worker->exitCode(), $worker->output());

        // A worker that starts later ignores the request.
        $next = $this->app->artisan('spool:work', '--max-time=1', '--sleep=0.01');
        self::assertSame(0, $next->exit, $next->all());
        $this->worker = $this->worker(...array_values($buckets));
        $this->app->artisan('app:buffer', '1');
        $this->worker->awaitPrinted('api-events: 1 ');
    }

    #[Test]
    public function laravel_s_reload_asks_workers_to_restart_where_there_is_such_a_command(): void
    {
        $hasReload = preg_match('/^reload /m', $this->app->artisan('list', '--raw')->out) === 1;
        $this->app->artisan('reload');

        self::assertSame($hasReload, is_file($this->app->path('storage/buffer/restart')));
    }

    #[Test]
    public function a_restart_that_was_asked_for_while_a_worker_booted_reaches_it(): void
    {
        $this->app->write('routes/console.php', $this->app->read('routes/console.php').<<<'PHP'

            if (in_array('spool:work', $_SERVER['argv'] ?? [], true)) {
                $spool = app(Headroom\Spool\Services\SpoolServices::class);
                $spool->restarts()->request($spool->clock()->now());
            }
            PHP);

        $this->bufferInBoth();

        self::assertSame(0, $this->worker('--sleep=600')->exitCode());
        self::assertSame(0, $this->worker('--sleep=600', 'audit')->exitCode());
    }

    #[Test, Group('day-3')]
    public function with_stop_when_empty_a_failed_bucket_exits_with_1_after_all_others(): void
    {
        $this->app->artisan('app:buffer', '2');
        $this->app->artisan('app:buffer', '2', 'audit');
        self::assertSame(0, $this->app->artisan('spool:work', '--stop-when-empty')->exit);
        self::assertCount(2, $this->app->rows('select id from api_events'));

        $this->app->artisan('app:buffer', '2');
        $this->app->artisan('app:buffer', '2', 'audit');
        $this->app->execute('alter table api_events rename to elsewhere');
        $worked = $this->app->artisan('spool:work', '--stop-when-empty');
        self::assertSame(1, $worked->exit, $worked->all());
        self::assertStringContainsString('no such table: api_events', $worked->err);
        self::assertStringContainsString('audit: 2 ', $worked->out);

        self::assertSame(1, $this->app->artisan('spool:work', 'api-events', '--stop-when-empty')->exit);
        self::assertSame(0, $this->app->artisan('spool:work', 'audit', '--stop-when-empty')->exit);
    }

    #[Test, Group('day-1')]
    public function a_process_that_takes_too_much_memory_ends_or_is_started_again(): void
    {
        $this->app->write('routes/console.php', $this->app->read('routes/console.php').<<<'PHP'

            Illuminate\Support\Facades\DB::listen(function (): void {
                $GLOBALS['grown'] = str_repeat('x', 120 << 20);
            });
            PHP);
        $this->app->artisan('app:buffer', '2');
        $this->app->artisan('app:buffer', '2', 'audit');
        $alone = $this->worker('api-events', '--memory=120', '--sleep=600');
        self::assertSame(0, $alone->exitCode(), $alone->output());
        self::assertStringContainsString('api-events: 2 ', $alone->output());

        $worker = $this->worker('--memory=120', '--sleep=600');
        $worker->awaitLine('spool:work: .* api-events .* now');
        $worker->awaitPrinted('audit: 2 ');
        self::assertDoesNotMatchRegularExpression('/^spool:work: .* audit /m', $worker->output());
    }

    #[Test]
    public function a_memory_limit_below_what_the_application_itself_takes_is_wrong_usage(): void
    {
        $worked = $this->app->artisan('spool:work', '--memory=1');

        self::assertSame(2, $worked->exit);
        self::assertStringContainsString('--memory', $worked->err);
        Snapshot::assertPrinted('spool:work', 'a memory limit below the application', $worked->err);
    }

    #[Test]
    public function its_processes_share_no_connection_and_no_log_that_the_application_had_opened(): void
    {
        $this->app->write('routes/console.php', $this->app->read('routes/console.php').<<<'PHP'

            if (in_array('spool:work', $_SERVER['argv'] ?? [], true)) {
                Illuminate\Support\Facades\DB::select('select 1');
                Illuminate\Support\Facades\Log::info('booted');
                file_put_contents(storage_path('open-at-boot'), implode("\n", array_map(fn (string $fd) => (string) @readlink("/proc/self/fd/{$fd}"), scandir('/proc/self/fd'))));
            }
            PHP);
        // Neither needs a database.
        $this->declare(
            "'api-events' => ['sink' => 'file', 'path' => storage_path('events.ndjson')], 'audit' => ['sink' => 'file',"
                ." 'path' => storage_path('audit.ndjson')]",
        );
        $this->bufferInBoth();
        $worker = $this->worker('--sleep=600');
        $worker->awaitPrinted('api-events: 1 ');
        $worker->awaitPrinted('audit: 1 ');
        $worker->awaitChildren(2);

        foreach (['database/database.sqlite', 'storage/logs/laravel.log'] as $name) {
            // With its whole path: what the process of the tests has open, the worker has as well.
            self::assertStringContainsString(
                $this->app->path($name),
                $this->app->read('storage/open-at-boot'),
                'The application had opened it.',
            );

            foreach ([$worker->pid(), ...$worker->children()] as $pid) {
                self::assertStringNotContainsString($this->app->path($name), implode("\n", Worker::openFiles($pid)));
            }
        }
    }

    #[Test]
    public function while_the_application_is_in_maintenance_mode_a_worker_rests(): void
    {
        $this->app->artisan('down');
        $this->app->artisan('app:buffer', '2');
        $worker = $this->worker('--sleep=0.02');
        $worker->awaitPrinted("\n");
        Snapshot::assertPrinted('spool:work', 'maintenance mode', $worker->output());
        self::assertSame([], $this->app->rows('select id from api_events'));

        $this->app->artisan('up');
        $worker->awaitPrinted('api-events: 2 ');
    }

    #[Test, Group('day-1')]
    public function during_maintenance_only_a_flush_by_hand_runs(): void
    {
        $this->app->artisan('app:buffer', '2');
        $this->app->artisan('down');
        self::assertStringContainsString(
            'No scheduled commands are ready to run',
            $this->app->artisan('schedule:run')->out,
        );

        self::assertSame(0, $this->app->artisan('spool:work', '--stop-when-empty')->exit);
        self::assertCount(2, $this->app->rows('select id from api_events'));
    }

    private function bufferInBoth(): void
    {
        foreach (['api-events', 'audit'] as $bucket) {
            $this->app->artisan('app:buffer', '1', $bucket);
        }
    }

    private function worker(string ...$arguments): Worker
    {
        $this->worker?->remove();

        return $this->worker = Worker::start($this->app, ...$arguments);
    }

    private function declare(string $buckets): void
    {
        $this->app->config(
            'spool',
            "['path' => storage_path('buffer'), 'heartbeats' => false, 'buckets' => [{$buckets}]]",
        );
    }

    /** @param list<int> $pids */
    private static function isConnected(array $pids, int $port): bool
    {
        $lines = file('/proc/net/tcp');
        $sockets = [];

        foreach ($lines === false ? [] : $lines as $line) {
            $fields = preg_split('/\s+/', trim($line));

            if (
                $fields !== false
                && ($fields[3] ?? '') === '01'
                && str_ends_with($fields[2], sprintf(':%04X', $port))
            ) {
                $sockets[] = "socket:[{$fields[9]}]";
            }
        }

        foreach ($pids as $pid) {
            if (array_intersect($sockets, Worker::openFiles($pid)) !== []) {
                return true;
            }
        }

        return false;
    }
}
