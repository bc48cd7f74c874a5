<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Bench\Queues;

use Headroom\Bench\Servers\RedisServer;
use Headroom\Process\Proc;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Support\Sample;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Redis;
use Symfony\Component\Process\Process;

/**
 * headroom:bench:queues that gets a signal while it works, and pages that cannot be written. It starts its servers
 * itself.
 */
#[RequiresPhpExtension('pcntl')]
#[RequiresPhpExtension('redis')]
final class SignalsTest extends TestCase
{
    private Workbench $workbench;

    private TemporaryDirectory $temporary;

    protected function setUp(): void
    {
        $this->temporary = TemporaryDirectory::create('signals');
        // The users of the servers enter it.
        chmod($this->temporary->path, 0o755);
        $this->workbench = new Workbench(['TMPDIR' => $this->temporary->path]);
    }

    protected function tearDown(): void
    {
        $this->workbench->remove();
        $this->temporary->remove();
    }

    /** @return array<int, array{string, string, int}> */
    public static function servers(): array
    {
        return Sample::of([
            ['database:mariadb', 'headroom-mariadb-*{/work,}/data/ibdata1', SIGINT],
            ['database:mariadb', 'headroom-mariadb-*{/work,}/pid', SIGTERM],
            ['database:pgsql', 'headroom-pgsql-*{/work,}/data/base', SIGHUP],
            ['database:pgsql', 'headroom-pgsql-*/log', SIGINT],
        ], 1);
    }

    /** @param string $until a file that is there when it has come so far */
    #[Test]
    #[DataProvider('servers')]
    public function a_server_that_is_being_started_goes_with_its_data(string $driver, string $until, int $signal): void
    {
        Needs::program('mariadbd', 'mariadb-server', 'mariadb');
        $process = $this->workbench->process(
            'headroom:bench:queues',
            '--with-servers',
            "--drivers={$driver}",
            '--jobs=100000',
            '--seconds=0',
            '--runs=1',
            '--workers=2',
        );
        $process->start();
        $this->await($process, fn (): bool => glob($this->temporary->file($until), GLOB_BRACE) !== []);
        $family = (new Proc)->descendants((int) $process->getPid());
        $process->signal($signal);

        self::assertSame(1, $process->wait(), $process->getErrorOutput());
        self::assertSame([], $this->left());
        self::assertSame([], array_filter(array_keys($family), (new Proc)->isAlive(...)));
    }

    /** @return array<int, array{int}> */
    public static function signals(): array
    {
        return Sample::of([
            [SIGINT],
            [SIGTERM],
            [SIGHUP],
        ], 1);
    }

    #[Test, Group('day-3')]
    #[DataProvider('signals')]
    public function jobs_are_removed_from_the_queue_however_often_it_is_asked_to_end(int $signal): void
    {
        Needs::redis();
        $server = RedisServer::start();
        $redis = new Redis;
        $redis->connect('127.0.0.1', $server->port);
        $workbench = new Workbench([
            'TMPDIR' => $this->temporary->path,
            'REDIS_HOST' => '127.0.0.1',
            'REDIS_PORT' => (string) $server->port,
        ]);
        $process = $workbench->process(
            'headroom:bench:queues',
            '--drivers=redis',
            '--scenario=deep',
            '--jobs=1000',
            '--deep=900000',
            '--seconds=0',
            '--runs=1',
            '--workers=4',
        );
        $process->start();
        // A row with many jobs, so that emptying the queue takes a while.
        $this->await(
            $process,
            static fn (): bool => array_filter(
                $redis->keys('*headroom-bench-*'),
                static fn (string $key): bool => $redis->lLen($key) > 20_000,
            ) !== [],
        );
        $pid = (int) $process->getPid();
        $process->signal($signal);

        while ($process->isRunning() && ! str_contains($process->getErrorOutput(), 'kill -9')) {
            usleep(2_000);
            posix_kill($pid, $signal);
        }

        $this->await($process, static fn (): bool => ! $process->isRunning());
        $workbench->remove();

        self::assertSame([], $redis->keys('*headroom-bench*'));
        self::assertSame([], $this->left());
        self::assertMatchesRegularExpression("/\\bkill -9 {$pid}\\b/", $process->getErrorOutput());
    }

    #[Test, Group('day-2')]
    #[TestWith([''])]
    #[TestWith(['--json'])]
    public function a_full_disk_costs_neither_the_figures_nor_the_page_that_was_there(string $json): void
    {
        mkdir($folder = $this->temporary->file('pages'));
        file_put_contents("{$folder}/report.html", 'the old page');
        $bench = $this->workbench->process(
            'headroom:bench:queues',
            '--drivers=folder',
            '--jobs=50',
            '--seconds=0',
            '--runs=1',
            '--workers=2',
            "--html={$folder}/report.html",
            ...($json === '' ? [] : [$json]),
        );
        // The kernel refuses more than the first 100 kB of a file; a page is longer.
        $process = Process::fromShellCommandline(
            'trap "" XFSZ; ulimit -f 200; exec '.$bench->getCommandLine(),
            null,
            $this->workbench->env(),
            null,
            120,
        );
        $process->run();

        self::assertSame(1, $process->getExitCode(), $process->getErrorOutput());
        self::assertSame('the old page', file_get_contents("{$folder}/report.html"));
        self::assertSame(["{$folder}/report.html"], glob("{$folder}/*"));
        Sentence::assertNames(["{$folder}/report.html", 'File too large', '--html'], $process->getErrorOutput());
        self::assertStringContainsString('folder', $process->getOutput());
        self::assertSame($json !== '', is_array(json_decode($process->getOutput(), true)));
    }

    #[Test, Group('day-1')]
    public function a_device_is_written_to_as_it_is(): void
    {
        $process = $this->workbench->artisan(
            'headroom:bench:queues',
            '--drivers=folder',
            '--jobs=50',
            '--seconds=0',
            '--runs=1',
            '--workers=2',
            '--html=/dev/full',
        );

        self::assertSame(1, $process->getExitCode());
        Sentence::assertNames(['/dev/full', 'No space left on device', '--html'], $process->getErrorOutput());
        self::assertStringContainsString('folder', $process->getOutput());
        self::assertSame('char', filetype('/dev/full'));
    }

    /** @param callable(): bool $isSo */
    private function await(Process $process, callable $isSo): void
    {
        for ($try = 0; $try < 12_000 && ! $isSo(); $try++) {
            usleep(5_000);
        }

        self::assertTrue($isSo(), $process->getErrorOutput());
    }

    /** @return list<string> */
    private function left(): array
    {
        $files = scandir($this->temporary->path);

        return array_values(array_diff($files === false ? [] : $files, ['.', '..']));
    }
}
