<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Doctor\Edit;
use Headroom\Process\Programs;
use Headroom\Tests\Contract\Support\TestDatabase;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use Headroom\Tests\Support\Redis\Patience;
use Headroom\Tests\Support\Sentence;
use Headroom\Tests\Support\Snapshot;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * The parts of an application that headroom:doctor sees only while they run: its workers, its routes, its database.
 */
#[Group('snapshot')]
final class DoctorOfWhatRunsTest extends TestCase
{
    private ScratchApplication $app;

    private ScratchApplication $other;

    protected function setUp(): void
    {
        $this->app = self::application();
        $this->other = self::application();
    }

    protected function tearDown(): void
    {
        $this->app->remove();
        $this->other->remove();
    }

    #[Test, Group('day-1')]
    public function a_worker_that_asks_the_database_is_found_until_its_fix_is_applied(): void
    {
        self::assertSame('skipped', self::asked($this->app, 'L21')[0]['status']);
        $workers = [self::worker($this->other)];

        try {
            self::assertSame(
                ['warn', 'skipped'],
                [self::asked($this->other, 'L21')[0]['status'], self::asked($this->app, 'L21')[0]['status']],
            );
            $workers[] = self::worker($this->app);
            $found = self::asked($this->app, 'L21')[0];
            self::assertSame('warn', $found['status']);
            Snapshot::assertPrinted('doctor application', 'L21, a worker asks the database', $found['message']);

            foreach ($found['fix']['edits'] ?? [] as $edit) {
                self::assertNotNull($edit['line']);
                file_put_contents(
                    $edit['file'],
                    Edit::replace($edit['file'], $edit['line'], (string) $edit['old'], (string) $edit['new'])
                        ->appliedTo((string) file_get_contents($edit['file'])),
                );
            }

            self::assertSame('pass', self::asked($this->app, 'L21')[0]['status']);
        } finally {
            foreach ($workers as $worker) {
                $worker->stop(2);
            }
        }
    }

    #[Test, Group('day-2')]
    public function routes_that_lock_the_session_are_found_with_and_without_a_cache_of_routes(): void
    {
        $routes = $this->app->read('routes/api.php');
        $this->app->write('routes/api.php', "{$routes}\nRoute::post('pay', [Events::class, 'plain'])->block(5, 7);\n");
        $found = self::asked($this->app, 'L19')[0];
        self::assertSame('pass', $found['status']);
        Snapshot::assertPrinted('doctor application', 'L19, a route that writes locks the session', $found['message']);

        $this->app->write('routes/api.php', "{$routes}\nRoute::get('feed', [Events::class, 'plain'])->block(5, 7);\n");
        $found = self::asked($this->app, 'L19')[0];
        self::assertSame('warn', $found['status']);
        Sentence::assertNames(['GET|HEAD /feed'], $found['message']);
        Sentence::assertNames(['5 s', '7 s'], $found['evidence'][0]['value']);
        Snapshot::assertPrinted('doctor application', 'L19, a route that reads locks the session', $found['message']);

        self::assertSame(0, $this->app->artisan('route:cache')->exit);
        $found = self::asked($this->app, 'L19')[0];
        Sentence::assertNames(['GET|HEAD /feed'], $found['message']);
        self::assertSame(['warn', ['php artisan route:cache']], [$found['status'], $found['fix']['commands'] ?? []]);

        // As the fix says: taken away, and cached again.
        $this->app->write('routes/api.php', $routes);
        self::assertSame(0, $this->app->artisan('route:cache')->exit);
        $found = self::asked($this->app, 'L19')[0];
        self::assertSame('pass', $found['status']);
        Snapshot::assertPrinted('doctor application', 'L19, no route locks the session', $found['message']);
    }

    #[Test, Group('day-2')]
    public function each_missing_cache_is_a_finding_and_its_fix_makes_the_cache(): void
    {
        foreach (['L1', 'L2', 'L3'] as $id) {
            $found = self::asked($this->app, $id)[0];
            self::assertSame('warn', $found['status']);

            foreach ($found['fix']['commands'] ?? [] as $command) {
                $outcome = $this->app->artisan(...explode(' ', substr($command, strlen('php artisan '))));
                self::assertSame(0, $outcome->exit, $outcome->all());
            }

            self::assertSame('pass', self::asked($this->app, $id)[0]['status']);
        }
    }

    #[Test]
    public function a_check_that_needs_a_measurement_is_shown_with_its_command_under_all(): void
    {
        foreach ([
            'L17' => 'curl',
            'L20' => 'php artisan headroom:logs:slow /var/log/php-fpm-POOL.slow.log',
        ] as $id => $command) {
            $this->app->write('routes/api.php', "<?php\n\ncache()->remember('front', 60, fn () => 1);\n");
            $found = self::asked($this->app, $id)[0];
            self::assertSame('skipped', $found['status']);
            $told = $found['fix']['commands'][0] ?? '';
            self::assertStringContainsString($command, $told);
            // A shell would make nothing of a name that is not set.
            self::assertDoesNotMatchRegularExpression('/\$(?!page\b)/', $told);
            self::assertStringNotContainsString(
                $command,
                $this->app->artisan('headroom:doctor', "--only={$id}", '--fail-on=never')->out,
            );
            self::assertStringContainsString(
                "    $ {$told}\n",
                $this->app->artisan('headroom:doctor', "--only={$id}", '--all', '--fail-on=never')->out,
            );
        }
    }

    #[Test]
    public function the_applications_own_connection_tells_what_its_server_does(): void
    {
        $server = TestDatabase::MariaDb->server();
        $this->app->config(
            'database',
            "['default' => 'mariadb', 'connections' => ['mariadb' => ['driver' => 'mariadb', 'host' =>"
                ." '{$server['host']}', 'port' => '{$server['port']}', 'database' => '{$server['database']}',"
                ." 'username' => '{$server['username']}', 'password' => '{$server['password']}', 'charset' =>"
                ." 'utf8mb4']]]",
        );

        $found = self::asked($this->app, 'D10', self::alone())[0];
        self::assertSame('pass', $found['status'], $found['message']);
        self::assertSame('innodb_row_lock_waits', $found['evidence'][0]['what']);
    }

    #[Test]
    public function a_connection_that_is_not_configured_is_unknown(): void
    {
        $this->app->config('database', "['default' => 'none', 'connections' => []]");
        $found = self::asked($this->app, 'D1')[0];

        self::assertSame('unknown', $found['status'], $found['message']);
        self::assertStringContainsString('Database connection [none] not configured', $found['message']);
    }

    #[Test]
    public function a_silent_database_is_unknown_and_is_not_waited_for(): void
    {
        $silent = stream_socket_server('tcp://127.0.0.1:0');
        self::assertIsResource($silent);
        $port = substr((string) strrchr((string) stream_socket_get_name($silent, false), ':'), 1);
        $this->app->config(
            'database',
            "['default' => 'mariadb', 'connections' => ['mariadb' => ['driver' => 'mariadb', 'host' => '127.0.0.1',"
                ." 'port' => '{$port}', 'database' => 'x', 'username' => 'me', 'password' => '', 'charset' =>"
                ." 'utf8mb4']]]",
        );
        $found = self::asked($this->app, 'D1')[0];
        fclose($silent);
        self::assertSame('unknown', $found['status'], $found['message']);
        self::assertStringContainsString('SQLSTATE[', $found['message']);
    }

    private static function application(): ScratchApplication
    {
        $app = ScratchApplication::onThisCheckout();
        $app->config(
            'cache',
            "['default' => env('CACHE_STORE', 'database'), 'stores' => ['database' => ['driver' => 'database',"
                ." 'table' => 'cache'], 'redis' => ['driver' => 'redis', 'connection' => 'cache']]]",
        );
        $app->write(
            '.env',
            "APP_ENV=production\nAPP_KEY=base64:".base64_encode(str_repeat('k', 32))
                ."\nDB_CONNECTION=sqlite\nCACHE_STORE=database\nSESSION_DRIVER=array\nQUEUE_CONNECTION=database\n",
        );
        $app->write('composer.json', '{"autoload": {"psr-4": {"App\\\\": "app/"}}}');
        $app->write('resources/views/page.blade.php', '{{ $text }}');
        $app->execute('create table cache (key text primary key, value text, expiration integer)');
        $app->execute(
            'create table jobs (id integer primary key, queue text, payload text, attempts integer, reserved_at'
                .' integer, available_at integer, created_at integer)',
        );

        return $app;
    }

    private static function worker(ScratchApplication $app): Process
    {
        $app->execute(
            "insert into jobs (queue, payload, attempts, available_at, created_at) values ('default',"
                ." '{\"job\":\"Illuminate\\\\Support\\\\Collection@make\",\"data\":[]}', 0, 0, 0)",
        );
        $process = $app->process([Programs::php(), 'artisan', 'queue:work', 'database', '--sleep=1', '--tries=1']);
        $process->start();

        // It says nothing where there is no terminal; a job that it has taken shows that it works.
        Patience::until(
            static fn (): bool => ! $process->isRunning()
                || $app->rows('select id from jobs where reserved_at is null') === [],
            'a job was taken',
        );
        self::assertTrue($process->isRunning(), $process->getErrorOutput());

        return $process;
    }

    /**
     * @param list<string> $prefix
     * @return non-empty-list<array{
     *     status: string,
     *     message: string,
     *     evidence: list<array{what: string, value: string}>,
     *     fix: ?array{
     *         edits: list<array{file: string, line: ?int, old: ?string, new: ?string}>,
     *         commands: list<string>,
     *     },
     * }>
     */
    private static function asked(ScratchApplication $app, string $id, array $prefix = []): array
    {
        $outcome = $app->run([
            ...$prefix, Programs::php(), 'artisan', '--no-ansi', 'headroom:doctor', "--only={$id}", '--json',
            '--fail-on=never',
        ]);
        self::assertSame(0, $outcome->exit, $outcome->all());
        /**
         * @var array{
         *     findings: non-empty-list<array{
         *         status: string,
         *         message: string,
         *         evidence: list<array{what: string, value: string}>,
         *         fix: ?array{
         *             edits: list<array{file: string, line: ?int, old: ?string, new: ?string}>,
         *             commands: list<string>,
         *         },
         *     }>,
         * } $read
         */
        $read = json_decode($outcome->out, true, flags: JSON_THROW_ON_ERROR);

        return $read['findings'];
    }

    /** @return list<string> so that the doctor sees no server that another test runs meanwhile */
    private static function alone(): array
    {
        $alone = ['unshare', '--fork', '--pid', '--mount-proc', '--kill-child'];

        return (new Process([...$alone, 'true']))->run() === 0 ? $alone : [];
    }
}
