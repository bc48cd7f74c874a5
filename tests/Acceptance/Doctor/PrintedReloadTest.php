<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Doctor\Fpm\Config\RunningMaster;
use Headroom\Doctor\Nginx\NginxMaster;
use Headroom\Process\Proc;
use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Doctor\Fpm\Eventually;
use Headroom\Tests\Acceptance\Host\Needs;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * The command that a fix prints makes the server load its configuration, from any directory,
 * and not with a configuration that stops it.
 */
#[Group('day-3')]
final class PrintedReloadTest extends TestCase
{
    private TemporaryDirectory $directory;

    protected function setUp(): void
    {
        Needs::webStack();
        $this->directory = TemporaryDirectory::create('printed-reload');
    }

    protected function tearDown(): void
    {
        foreach (['nginx.pid', 'fpm.pid'] as $file) {
            $pid = $this->pid($file);
            $pid === 0 || posix_kill($pid, SIGTERM);
            Eventually::true(static fn (): bool => $pid === 0 || ! (new Proc)->isAlive($pid));
        }

        $this->directory->remove();
    }

    #[Test]
    public function nginx_reloads_and_restarts_as_it_was_started(): void
    {
        $config = "pid nginx.pid;\nerror_log error.log;\nevents {\n}\nhttp {\n".implode(
            '',
            array_map(
                static fn (string $kind): string => "{$kind}_temp_path {$kind};\n",
                ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'],
            ),
        ).'}';
        $this->directory->write('nginx.conf', "{$config}\n");
        (new Process(
            [Programs::nginx(), '-p', '.', '-c', 'nginx.conf', '-g', 'worker_priority 1;'],
            $this->directory->path,
        ))->mustRun();
        $this->judged('nginx.pid', 'nginx.conf', $config, '{', static function (int $pid): array {
            $masters = array_filter(
                NginxMaster::running(new Proc),
                static fn (NginxMaster $master): bool => $master->pid === $pid,
            );
            $master = reset($masters);

            return $master === false ? ['false', 'false'] : [$master->reload(), $master->restart()];
        });
    }

    #[Test]
    public function php_fpm_reloads_and_restarts_as_it_was_started(): void
    {
        $path = $this->directory->path;
        $config = "[global]\npid = {$path}/fpm.pid\nerror_log = {$path}/fpm.log\n[www]\nuser = nobody\nlisten ="
            ." {$path}/fpm.sock\npm = static\npm.max_children = 1";
        $this->directory->write('fpm.conf', "{$config}\n");
        (new Process([Programs::fpm(), '-y', 'fpm.conf'], $path))->mustRun();
        $this->judged('fpm.pid', 'fpm.conf', $config, 'pm.max_children = none', static function (int $pid): array {
            $masters = array_filter(
                RunningMaster::all(),
                static fn (RunningMaster $master): bool => $master->pid === $pid,
            );
            $master = reset($masters);

            return $master === false ? ['false', 'false'] : [$master->reload(), $master->restart()];
        });
    }

    /**
     * @param string $fault a line that the server refuses
     * @param callable(int): array{string, string} $commands by the pid of the master
     */
    private function judged(string $pidFile, string $file, string $config, string $fault, callable $commands): void
    {
        $proc = new Proc;
        Eventually::true(fn (): bool => $proc->workers($this->pid($pidFile)) !== []);
        $pid = $this->pid($pidFile);
        $workers = $proc->workers($pid);
        [$reload, $restart] = $commands($pid);

        $this->directory->write($file, "{$config}\n{$fault}\n");
        self::assertNotSame(0, $this->executed($reload), $reload);
        self::assertNotSame(0, $this->executed($restart), $restart);
        self::assertSame($workers, $proc->workers($pid));

        $this->directory->write($file, "{$config}\n");
        self::assertSame(0, $this->executed($reload), $reload);
        // PHP-FPM runs itself again, as a daemon: its pid may be another one then.
        Eventually::true(
            fn (): bool => $proc->workers($this->pid($pidFile)) !== [] && array_filter(
                $workers,
                $proc->isAlive(...),
            ) === [],
        );

        $reloaded = $this->pid($pidFile);
        [, $restart] = $commands($reloaded);
        self::assertSame(0, $this->executed($restart), $restart);
        Eventually::true(
            fn (): bool => ! in_array(
                $this->pid($pidFile),
                [0, $reloaded],
                true,
            ) && $proc->workers($this->pid($pidFile)) !== [],
        );
    }

    private function executed(string $command): int
    {
        return Process::fromShellCommandline($command, '/')->run();
    }

    private function pid(string $file): int
    {
        return is_file($this->directory->file($file)) ? (int) file_get_contents($this->directory->file($file)) : 0;
    }
}
