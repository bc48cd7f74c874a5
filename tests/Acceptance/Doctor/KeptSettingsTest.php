<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Database\DatabaseServer;
use Headroom\Doctor\Database\Engine;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Redis\RedisAddress;
use Headroom\Doctor\Redis\RedisProbe;
use Headroom\Doctor\Redis\RedisServers;
use Headroom\Process\ChildProcess;
use Headroom\Process\Ports;
use Headroom\Process\ProcessOptions;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Support\Redis\Installed;
use Headroom\Tests\Support\Redis\RedisServer;
use Headroom\Tests\Unit\Doctor\Support\Examined;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * A setting that a fix changes in a running server survives the next start, or the fix names the file that keeps it.
 */
#[Group('day-1')]
final class KeptSettingsTest extends TestCase
{
    #[Test]
    public function a_redis_with_a_file_keeps_the_setting_over_a_restart(): void
    {
        $directory = TemporaryDirectory::create('kept');
        $port = Ports::free();
        $file = $directory->write(
            'redis.conf',
            "# latency-monitor-threshold 5\r\nport {$port}\r\nsave \"\"\r\ndir {$directory->path}\r\n",
        );
        $redis = self::started($directory, $file, $port);
        $faults = self::faults($port);
        self::assertCount(1, $faults);

        foreach ($faults[0]->fix->commands ?? [] as $command) {
            Process::fromShellCommandline($command)->mustRun();
        }

        $redis->stop();
        $redis = self::started($directory, $file, $port);

        self::assertSame([], self::faults($port));
        $redis->stop();
    }

    #[Test]
    public function a_redis_without_a_file_is_named_the_setting_to_start_it_with(): void
    {
        $redis = RedisServer::start(['latency-monitor-threshold' => 0]);
        $fix = self::faults($redis->port)[0]->fix ?? null;

        self::assertCount(1, $fix->commands ?? []);
        self::assertStringContainsString('`latency-monitor-threshold 100`', $fix->text ?? '');
    }

    #[Test]
    public function mysql_keeps_a_setting_itself_and_others_are_named_the_line(): void
    {
        $now = ['max_connections' => '5'];
        $mysql = new DatabaseServer(Engine::Mysql, '8.0.36', $now, []);

        $fix = static fn (DatabaseServer $server): Fix => $server->fix('max_connections', 9, 'look');

        self::assertSame("mysql -e 'set persist max_connections = 9'", $fix($mysql)->commands[0]);
        self::assertSame('', $fix($mysql)->text);
        self::assertStringContainsString('reset persist max_connections', $fix($mysql)->rollback);

        $old = new DatabaseServer(Engine::Mysql, '5.7.44', $now, []);
        $mariadb = new DatabaseServer(Engine::Mariadb, '11.4.2-MariaDB', $now, []);

        foreach ([$old, $mariadb] as $server) {
            self::assertSame("mysql -e 'set global max_connections = 9'", $fix($server)->commands[0]);
            self::assertStringContainsString('`max_connections = 9`', $fix($server)->text);
            self::assertStringContainsString('set global max_connections = 5', $fix($server)->rollback);
        }
    }

    private static function started(TemporaryDirectory $directory, string $file, int $port): ChildProcess
    {
        $redis = ChildProcess::start(new ProcessOptions(
            'redis',
            [Installed::server(), $file],
            $directory->file('log'),
        ));
        $redis->awaitReady(static fn (): bool => Ports::accepts($port));

        return $redis;
    }

    /** @return list<Finding> */
    private static function faults(int $port): array
    {
        $servers = (new RedisProbe([new RedisAddress("tcp://127.0.0.1:{$port}", uses: ['session'])]))->facts();

        return array_map(
            static fn (CheckResult $verdict): Finding => $verdict->finding,
            Examined::by('R7', [RedisServers::class => static fn (): RedisServers => $servers])->problems(),
        );
    }
}
