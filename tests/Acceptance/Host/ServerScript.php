<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Host;

use Headroom\Bench\Servers\BeanstalkdServer;
use Headroom\Bench\Servers\MariaDbServer;
use Headroom\Bench\Servers\PostgresServer;
use Headroom\Bench\Servers\RedisServer;
use Headroom\Process\TemporaryDirectory;
use PHPUnit\Framework\Assert;
use Symfony\Component\Process\Exception\ProcessSignaledException;
use Symfony\Component\Process\PhpProcess;

/**
 * A script of its own that starts a data server, and a temporary folder of its own to start it in.
 */
final readonly class ServerScript
{
    /**
     * @param class-string<RedisServer|BeanstalkdServer|MariaDbServer|PostgresServer> $server
     * @param string $end the bad one that it comes to
     * @param int $directories how many are to be left then
     */
    public static function pid(string $server, string $end, int $directories): int
    {
        [$output, $left] = self::run("\$server = {$server}::start(); echo \$server->pid, \"\\n\"; {$end}", [], 0o755);
        $pid = (int) $output;
        Assert::assertGreaterThan(1, $pid, $output);
        Assert::assertSame($directories, $left);

        return $pid;
    }

    /**
     * @param class-string<RedisServer|BeanstalkdServer|MariaDbServer|PostgresServer> $server
     * @param array<string, string> $env
     * @return string class and message of what was thrown; no directory is left
     */
    public static function refusal(string $server, array $env, int $mode = 0o755): string
    {
        [$output, $left] = self::run(
            "try { {$server}::start(); echo 'It started.'; } catch (Throwable \$e) { echo \$e::class, ': ',"
                .' $e->getMessage(); }',
            $env,
            $mode,
        );
        Assert::assertSame(0, $left);

        return $output;
    }

    /**
     * @param array<string, string> $env
     * @return array{string, int} what it printed, and how many directories of servers were left
     */
    private static function run(string $script, array $env, int $mode): array
    {
        $temporary = TemporaryDirectory::create('starter');
        chmod($temporary->path, $mode);
        $process = new PhpProcess(
            '<?php require '.var_export(dirname(__DIR__, 3).'/vendor/autoload.php', true)."; {$script}",
            timeout: 120,
        );
        $process->setEnv($env + ['TMPDIR' => $temporary->path]);
        $process->start();

        try {
            $process->wait();
        } catch (ProcessSignaledException) {
            // It was meant to.
        }

        $left = glob($temporary->file('headroom-*'));
        $temporary->remove();

        return [$process->getOutput(), count($left === false ? [] : $left)];
    }
}
