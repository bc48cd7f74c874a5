<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\Config\RunningMaster;
use Headroom\Doctor\Nginx\NginxProbe;
use Headroom\Process\Proc;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Acceptance\Doctor\Fpm\Eventually;
use Headroom\Tests\Support\Printed;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

/**
 * Root runs the doctor, and the process of another user has the name of a server: the doctor runs neither its program
 * nor reads its configuration.
 */
final class ForeignProcessTest extends TestCase
{
    private TemporaryDirectory $directory;

    private ?Process $process = null;

    protected function setUp(): void
    {
        if (posix_geteuid() !== 0) {
            self::markTestSkipped('Only root can be misused for this.');
        }

        $this->directory = TemporaryDirectory::create('foreign');
        chmod($this->directory->path, 0o777);
    }

    protected function tearDown(): void
    {
        $this->process?->stop(0);

        if (isset($this->directory)) {
            $this->directory->remove();
        }
    }

    #[Test]
    public function a_process_that_calls_itself_php_fpm_is_neither_run_nor_read(): void
    {
        $mark = $this->directory->file('run');
        $config = $this->directory->write(
            'fpm.conf',
            "[global]\nerror_log = {$mark}\n[www]\nlisten = /tmp/x.sock\npm = static\npm.max_children ="
                ." 1\nuser = nobody\n",
        );
        chmod($config, 0o666);
        $this->start("php-fpm: master process ({$config})", "#!/bin/sh\ntouch {$mark}\n");
        $masters = array_values(array_filter(
            RunningMaster::all(),
            static fn (RunningMaster $master): bool => $master->configFile === $config,
        ));
        self::assertCount(1, $masters);

        foreach ([$masters[0]->program(...), $masters[0]->writtenConfig(...)] as $ask) {
            try {
                $ask();
                self::fail('It was asked.');
            } catch (FactUnavailable $e) {
                // Only the refusal of a foreign process advises to become its user.
                self::assertStringStartsWith('sudo -u ', $e->command);
                self::assertStringContainsString((string) $masters[0]->pid, $e->getMessage());
            }
        }

        self::assertFileDoesNotExist($mark);
    }

    #[Test]
    public function a_process_that_calls_itself_nginx_is_not_run(): void
    {
        $mark = $this->directory->file('run');
        $this->start(
            "nginx: master process {$this->directory->file('program')} -c {$this->directory->file('nginx.conf')}",
            "#!/bin/sh\ntouch {$mark}\n",
            'nginx',
        );
        $pid = (int) $this->process?->getPid();
        $unknown = (new NginxProbe(2))->servers()->unknown[$pid] ?? null;

        self::assertStringContainsString((string) $pid, (string) $unknown?->getMessage());
        self::assertFileDoesNotExist($mark);
    }

    #[Test]
    public function a_program_that_others_can_change_is_not_run_by_root(): void
    {
        $proc = new Proc;
        $own = (int) getmypid();
        chmod($this->directory->path, 0o755);
        mkdir($this->directory->file('bin'));
        $mine = $this->directory->write('bin/mine', '');
        chmod($mine, 0o755);

        self::assertTrue($proc->mayRun($own, $mine));
        chmod($mine, 0o775);
        self::assertFalse($proc->mayRun($own, $mine));
        // Sticky says nothing of a file.
        chmod($mine, 0o1775);
        self::assertFalse($proc->mayRun($own, $mine));
        chmod($mine, 0o755);
        chown($mine, 'nobody');
        self::assertFalse($proc->mayRun($own, $mine));
    }

    #[Test]
    public function a_program_that_others_can_replace_is_not_run_by_root(): void
    {
        $proc = new Proc;
        $own = (int) getmypid();
        $above = $this->directory->file('opt');
        mkdir("{$above}/sbin", recursive: true);
        $mine = $this->directory->write('opt/sbin/mine', '');
        $may = static fn (): bool => $proc->mayRun($own, $mine);
        array_map(chmod(...), [$this->directory->path, $above, "{$above}/sbin", $mine], [0o755, 0o755, 0o755, 0o755]);
        self::assertTrue($may());

        foreach ([$above, "{$above}/sbin"] as $directory) {
            foreach ([0o775, 0o757] as $mode) {
                chmod($directory, $mode);
                self::assertFalse($may(), $directory);
            }

            // In a directory such as /tmp, no other user can move the files of root.
            chmod($directory, 0o1777);
            self::assertTrue($may(), $directory);
            chown($directory, 'nobody');
            self::assertFalse($may(), $directory);
            chown($directory, 0);
            chmod($directory, 0o755);
        }

        symlink("{$above}/sbin", $this->directory->file('link'));
        self::assertFalse($proc->mayRun($own, $this->directory->file('link').'/mine'));
        self::assertFalse($proc->mayRun($own, "{$mine}2"));
        self::assertTrue($may());
    }

    /** A copy of sleep as the user nobody, with the process title of a server. */
    private function start(string $title, string $script, string $name = 'sleeper'): void
    {
        chmod($this->directory->write('program', $script), 0o777);
        copy('/bin/sleep', $this->directory->file($name));
        chmod($this->directory->file($name), 0o755);
        $this->process = new Process([
            'setpriv',
            '--reuid=nobody',
            '--regid=nogroup',
            '--clear-groups',
            'bash',
            '-c',
            'echo ready; exec -a "$0" "$1" 60',
            $title,
            $this->directory->file($name),
        ]);
        $this->process->start();
        Printed::by($this->process, 'ready');
        Eventually::true(fn (): bool => ((new Proc)->commandLine((int) $this->process->getPid())[0] ?? '') === $title);
    }
}
