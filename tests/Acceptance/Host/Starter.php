<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Host;

use Headroom\Dev\BuiltInServer;
use Headroom\Host\WebConfig;
use Headroom\Host\WebStack;
use Headroom\Process\Proc;
use Headroom\Process\TemporaryDirectory;
use PHPUnit\Framework\Assert;
use Symfony\Component\Process\Exception\ProcessSignaledException;
use Symfony\Component\Process\PhpProcess;

/**
 * A script of its own that starts a server and then comes to a bad end.
 */
final class Starter
{
    /**
     * @param class-string<WebStack|BuiltInServer> $server
     * @return list<int> the processes of the server while it ran; its directory stays
     */
    public static function killed(string $server, string $front, int $workers): array
    {
        return self::run($server, $front, $workers, 'posix_kill(getmypid(), 9);', 1);
    }

    /**
     * @param class-string<WebStack|BuiltInServer> $server
     * @return list<int> the same; its directory must be gone
     */
    public static function failed(string $server, string $front, int $workers): array
    {
        return self::run($server, $front, $workers, 'ini_set("memory_limit", "32M"); str_repeat("x", 100_000_000);', 0);
    }

    /** @return list<int> */
    private static function run(string $server, string $front, int $workers, string $end, int $directories): array
    {
        $root = var_export(dirname(__DIR__, 3).'/vendor/autoload.php', true);
        $process = new PhpProcess('<?php require '.$root.';
            $server = '.$server.'::start(new '.WebConfig::class.'('.var_export($front, true).", {$workers}));
            echo json_encode(array_keys((new ".Proc::class.')->descendants(getmypid()))), "\n";
            '.$end);
        $process->setTimeout(60);
        // A starter that is killed cannot remove its directory.
        $temporary = TemporaryDirectory::create('starter');
        chmod($temporary->path, 0o755);
        $process->setEnv(['TMPDIR' => $temporary->path]);
        $process->start();

        try {
            $process->wait();
        } catch (ProcessSignaledException) {
            // It was meant to.
        }

        $left = glob($temporary->file('*'));
        $temporary->remove();
        Assert::assertCount($directories, $left === false ? [] : $left);

        $pids = json_decode(explode("\n", $process->getOutput())[0], true);
        Assert::assertIsArray($pids, $process->getErrorOutput().$process->getOutput());

        return array_values(array_filter($pids, is_int(...)));
    }
}
