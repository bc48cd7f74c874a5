<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\UnderLoad;

use Headroom\Console\Doctor\DoctorCommand;
use Headroom\Core\SystemClock;
use Headroom\Dev\DelayProxy;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Fpm\FpmProbe;
use Headroom\Doctor\Runner\CheckList;
use Headroom\Host\Fpm\Address;
use Headroom\Tests\Acceptance\Doctor\Stack;
use Headroom\Tests\Contract\Support\TestDatabase;
use Headroom\Tests\Support\CpuShare;
use Headroom\Tests\Support\Redis\RedisServer;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Console\Tester\CommandTester;
use Symfony\Component\Process\Process;

/**
 * `doctor --url` on a server without an application: what is at an address is known from the command line, as its
 * program is on no process list of this machine that the address leads to.
 */
#[Group('quiet')]
final class NamedServersUnderLoadTest extends TestCase
{
    #[Test]
    #[Group('proof')]
    public function a_redis_that_is_told_of_is_named_and_asked(): void
    {
        $redis = RedisServer::start();
        $way = DelayProxy::start('127.0.0.1', $redis->port, 20.0);
        $stack = new Stack(
            script: "<?php foreach ([0, 1] as \$database) { \$redis = new Redis; \$redis->connect('127.0.0.1',"
                ." {$way->port}); \$redis->select(\$database); } echo 'served';",
        );

        $told = $this->doctor($stack, ["--redis=127.0.0.1:{$way->port}"]);
        $untold = $this->doctor($stack);

        $told->assertCause('redis-connections');
        $told->assertSentence(
            '~\bRedis 127\.0\.0\.1:'.$way->port.'\b.*\b[2-4]\b\D+\b[2-4]\b.*\b(1\.[6-9]|2\.[0-4])\b~',
        );
        $untold->assertCause('outgoing-calls');
        self::assertStringContainsString("--redis=127.0.0.1:{$way->port}", $untold->text('next'));
    }

    #[Test, Group('day-2')]
    public function an_sql_server_that_is_told_of_is_named_and_asked(): void
    {
        $server = TestDatabase::MariaDb->server();
        $way = DelayProxy::start($server['host'], (int) $server['port'], 30.0);
        $login = var_export([$server['username'], $server['password']], true);
        $stack = new Stack(
            script: "<?php \$pdo = new PDO('mysql:host=127.0.0.1;port={$way->port};dbname={$server['database']}',"
                ." ...{$login}); echo 'served';",
        );

        $live = $this->doctor(
            $stack,
            ["--database=mysql://{$server['username']}@127.0.0.1:{$way->port}/{$server['database']}"],
            ['MYSQL_PWD' => $server['password']],
        );

        $live->assertCause('database-connections');
        $live->assertSentence("~MariaDB 127\.0\.0\.1:{$way->port}~");
    }

    #[Test, Group('day-3')]
    public function processes_of_a_pool_elsewhere_are_a_gap_with_a_command(): void
    {
        $stack = new Stack(script: '<?php usleep(100_000); echo "served";');
        $pools = static fn (): FpmPools => (new FpmProbe)->at([Address::parse($stack->path('fpm.sock'))], []);
        $command = new CommandTester(new DoctorCommand(
            CheckList::ofPackage(...),
            static fn (array $told): Facts => $stack->facts([FpmPools::class => $pools]),
            new SystemClock,
            UnderLoadDocument::LOAD,
        ));
        $command->execute(['--url' => $stack->url(), '--json' => true, '--duration' => '4', '--concurrency' => '20']);
        $live = UnderLoadDocument::of($command->getDisplay());

        $gaps = array_column($live->all('unknown'), 'command', 'what');
        self::assertStringContainsString(
            'sudo headroom doctor --watch',
            implode("\n", array_filter($gaps, is_string(...))),
            $live->told(),
        );
        self::assertStringNotContainsString('/proc/0', $live->told());
        // Figures of its processes come from /proc, where they are not.
        self::assertStringNotContainsString(
            '"/proc, ',
            (string) json_encode($live->all('evidence'), JSON_UNESCAPED_SLASHES),
        );
    }

    /**
     * @param list<string> $options
     * @param array<string, string> $env
     */
    private function doctor(Stack $stack, array $options = [], array $env = []): UnderLoadDocument
    {
        $process = new Process(
            [
                PHP_BINARY,
                dirname(__DIR__, 4).'/bin/headroom',
                'doctor',
                "--url={$stack->url()}",
                "--fpm={$stack->path('fpm.sock')}",
                '--only=R1',
                '--json',
                '--duration=5',
                '--concurrency=20',
                ...$options,
            ],
            env: $env,
            timeout: 90,
        );
        $before = CpuShare::now();
        $process->run();

        return UnderLoadDocument::of($process->getOutput(), $before);
    }
}
