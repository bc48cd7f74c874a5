<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\UnderLoad;

use Closure;
use Headroom\Console\Doctor\DoctorCommand;
use Headroom\Core\SystemClock;
use Headroom\Dev\DelayProxy;
use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Database\DatabaseProbe;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Database\Engine;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Redis\RedisAddress;
use Headroom\Doctor\Redis\RedisAddresses;
use Headroom\Doctor\Runner\CheckList;
use Headroom\Doctor\UnderLoad\Samplers\DatabaseSampler;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Doctor\Stack;
use Headroom\Tests\Contract\Support\TestDatabase;
use Headroom\Tests\Support\CpuShare;
use Headroom\Tests\Support\Redis\RedisServer;
use Headroom\Tests\Support\Sample;
use Headroom\Tests\Unit\Doctor\Support\Applications;
use PDO;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Tester\CommandTester;

/**
 * Real stacks with one bottleneck each, and one without: the doctor names it under load.
 */
#[Group('quiet')]
final class LoadDiagnosisTest extends TestCase
{
    #[Test, Group('day-2')]
    public function new_connections_to_redis_are_named_with_how_many_a_request_opens(): void
    {
        $redis = RedisServer::start();
        $way = DelayProxy::start('127.0.0.1', $redis->port, 20.0);
        $stack = new Stack(script: <<<PHP
            <?php
            foreach ([0, 1] as \$database) {
                \$redis = new Redis;
                \$redis->connect('127.0.0.1', {$way->port});
                \$redis->select(\$database);
            }
            echo 'served';
            PHP);

        $live = self::live($stack, self::application($way->port));

        $live->assertCause('redis-connections');
        // Of a connection that lives no longer than a look takes, the other end is not to be seen:
        // on a busy machine that is half of them.
        $live->assertSentence(
            '~\bRedis 127\.0\.0\.1:'.$way->port.'\b.*\b[2-4]\b\D+\b[2-4]\b.*\b(1\.[6-9]|2\.[0-4])\b~',
        );
        self::assertSame('R1', $live->at('fix_of'));
    }

    #[Test]
    #[Group('proof')]
    public function redis_that_computes_is_told_from_connections_to_it(): void
    {
        $redis = RedisServer::start();
        $stack = new Stack(
            script: "<?php \$redis = new Redis; \$redis->connect('127.0.0.1', {$redis->port}); \$redis->eval('local n ="
                ." 0 for i = 1, 4000000 do n = n + i end return n'); echo 'served';",
        );

        $live = self::live($stack, self::application($redis->port));
        $live->assertCause('redis-replies');
        self::assertNotSame('R1', $live->at('fix_of'), 'Connections are not what it waits for.');
    }

    /**
     * @return iterable<string, array{
     *     string, string, string, array<string, string>, array<string, string>, array<string, string>,
     * }>
     */
    public static function bottlenecks(): iterable
    {
        $pass = '            fastcgi_pass php;';
        $upstream = '        server unix:%DIR%/fpm.sock;';

        yield 'nothing' => ['nothing', '~\b[1-9]~', '<?php echo "served";', [], [], []];
        yield 'sleep' => ['sleeping', '~\b[34]\b\D+\b[34]\b~', '<?php usleep(200_000); echo "served";', [], [], []];
        yield 'computing' => [
            'cpu-full',
            '~\b\d+ %.*\bphp-fpm\b~',
            '<?php $until = hrtime(true) + 150_000_000; while (hrtime(true) < $until) { hash("sha256", "x");'
                .' } echo "served";',
            [],
            [],
            [],
        ];
        yield 'sessions in files' => [
            'file-locks',
            '~\b[234]\b\D+\b[34]\b~',
            '<?php session_save_path(sys_get_temp_dir()); session_id("headroomlivetest"); session_start();'
                .' usleep(100_000); echo "served";',
            [],
            [],
            [],
        ];
        yield 'kept connections' => [
            'kept-connections',
            '~\bnginx\b~',
            '<?php usleep(20_000); echo "served";',
            [
                $upstream => "{$upstream}\n        keepalive 8;",
                $pass => "            fastcgi_keep_conn on;\n{$pass}",
                'worker_processes auto;' => 'worker_processes 4;',
            ],
            [],
            ['--timeout' => '1.5', '--duration' => '6'],
        ];
        yield 'its own errors' => [
            'application-errors',
            '~\b100\.0 %.*\b500\b~',
            '<?php http_response_code(500); echo "no";',
            [],
            [],
            [],
        ];
        yield 'a short queue' => [
            'sleeping',
            '~\d~',
            '<?php usleep(100_000); echo "served";',
            [],
            ['listen.backlog = 511' => 'listen.backlog = 4'],
            [],
        ];
    }

    /**
     * @return array<string, array{
     *     string, string, string, array<string, string>, array<string, string>, array<string, string>,
     * }>
     */
    public static function sampledStalls(): array
    {
        return Sample::of(self::bottlenecks(), 2);
    }

    /**
     * @param array<string, string> $nginx
     * @param array<string, string> $fpm
     * @param array<string, string> $options
     */
    #[Test, Group('day-3')]
    #[DataProvider('sampledStalls')]
    public function a_cause_is_named(
        string $id,
        string $sentence,
        string $script,
        array $nginx,
        array $fpm,
        array $options,
    ): void {
        $live = self::live(new Stack($nginx, $fpm, script: $script), null, $options);
        // Another user could not open what this one has left there.
        @unlink(sys_get_temp_dir().'/sess_headroomlivetest');

        $live->assertCause($id);
        $live->assertSentence($sentence);
        self::assertGreaterThan(3, $live->number('seconds_to_cause'), 'It has let the load run.');

        if ($fpm !== []) {
            self::assertContains('backlog-overflow', array_column($live->all('others'), 'id'), $live->told());
        }
    }

    #[Test]
    #[Group('proof')]
    public function a_directory_that_all_make_files_in_is_no_disk(): void
    {
        $in = TemporaryDirectory::create('headroom-live');
        chmod($in->path, 0o777);
        $live = self::live(new Stack(
            fpm: ['pm.max_children = 4' => 'pm.max_children = 12'],
            script: "<?php for (\$i = 0; \$i < 4_000; \$i++) { \$file = '{$in->path}/'.getmypid().\"-\$i\";"
                ." touch(\$file); unlink(\$file); } echo 'served';",
        ));
        $in->remove();

        // How many cores there are decides which: eight spin where two are full.
        $live->assertCause('cpu-full', 'kernel-locks');
        self::assertNotContains('disk', array_column($live->all('others'), 'id'), $live->told());
    }

    #[Test]
    #[Group('proof')]
    public function a_server_that_answers_late_is_named_by_its_address(): void
    {
        $redis = RedisServer::start();
        $way = DelayProxy::start('127.0.0.1', $redis->port, 200.0);
        $live = self::live(new Stack(
            script: "<?php \$call = fsockopen('127.0.0.1', {$way->port}); fwrite(\$call, \"PING\\r\\n\");"
                ." fgets(\$call); echo 'served';",
        ));

        $live->assertCause('outgoing-calls');
        $live->assertSentence("~127\.0\.0\.1:{$way->port}~");
    }

    /** @return iterable<string, array{string, string, float}> */
    public static function statements(): iterable
    {
        yield 'rows that others have locked' => [
            'database-locks',
            '$pdo->beginTransaction(); $pdo->exec("update headroom_live set n = n + 1 where id = 1"); usleep(80_000);'
                .' $pdo->commit();',
            0.0,
        ];
        yield 'a slow statement' => ['database-replies', '$pdo->query("select sleep(0.2)")->fetchAll();', 0.0];
        yield 'a way that makes connecting dear' => ['database-connections', '', 30.0];
    }

    /** @return array<string, array{string, string, float}> */
    public static function sampledStatements(): array
    {
        return Sample::of(self::statements(), 1);
    }

    #[Test, Group('day-1')]
    #[DataProvider('sampledStatements')]
    public function the_sql_server_is_named_with_the_cause_of_the_wait(
        string $id,
        string $statement,
        float $roundTripMillis,
    ): void {
        $server = TestDatabase::MariaDb->server();
        $pdo = new PDO(
            "mysql:host={$server['host']};port={$server['port']};dbname={$server['database']}",
            $server['username'],
            $server['password'],
        );
        $pdo->exec('create table if not exists headroom_live (id int primary key, n int) engine = innodb');
        $pdo->exec('replace into headroom_live values (1, 0)');
        $way = $roundTripMillis > 0.0
            ? DelayProxy::start($server['host'], (int) $server['port'], $roundTripMillis)
            : null;
        $port = $way->port ?? (int) $server['port'];
        $login = var_export([$server['username'], $server['password']], true);
        $stack = new Stack(
            script: "<?php \$pdo = new PDO('mysql:host=127.0.0.1;port={$port};dbname={$server['database']}',"
                ." ...{$login}); {$statement} echo 'served';",
        );

        try {
            $live = self::live($stack, static fn (): array => [
                DatabaseServer::class => static fn (): DatabaseServer => (new DatabaseProbe($pdo))->facts(),
                DatabaseSampler::class => static fn (): DatabaseSampler
                    => new DatabaseSampler(Engine::Mariadb, "127.0.0.1:{$port}", $pdo),
            ]);
        } finally {
            $pdo->exec('drop table headroom_live');
        }

        $live->assertCause($id);
        $live->assertSentence("~MariaDB 127\.0\.0\.1:{$port}~");
    }

    /** @return Closure(): array<class-string, Closure(Facts): object> */
    private static function application(int $port): Closure
    {
        $facts = Applications::with([
            'database.redis.options.persistent' => false,
            'database.redis.default.port' => (string) $port,
            'database.redis.cache.port' => (string) $port,
        ]);

        return static fn (): array => [
            Application::class => static fn (): Application => $facts->get(Application::class),
            RedisAddresses::class => static fn (): RedisAddresses
                => new RedisAddresses(RedisAddress::of($facts->get(Application::class))),
        ];
    }

    /**
     * @param ?Closure(): array<class-string, Closure(Facts): object> $more
     * @param array<string, string> $options
     */
    private static function live(Stack $stack, ?Closure $more = null, array $options = []): UnderLoadDocument
    {
        $command = new CommandTester(new DoctorCommand(
            CheckList::ofPackage(...),
            static fn (array $told): Facts => $stack->facts($more === null ? [] : $more()),
            new SystemClock,
            UnderLoadDocument::LOAD,
        ));
        $before = CpuShare::now();
        $command->execute(
            ['--url' => $stack->url(), '--json' => true, '--duration' => '5', '--concurrency' => '20', ...$options],
        );

        return UnderLoadDocument::of($command->getDisplay(), $before);
    }
}
