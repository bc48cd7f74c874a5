<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Fpm\Config;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\Config\FpmConfigProbe;
use Headroom\Doctor\Fpm\Config\RunningMaster;
use Headroom\Doctor\Fpm\Config\UnreadableConfig;
use Headroom\Process\Proc;
use Headroom\Tests\Unit\Doctor\Kernel\MachineTestCase;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;

final class RunningMasterTest extends MachineTestCase
{
    /** Of proc_pid_mountinfo(5): the root, and nothing else. */
    private const MOUNTS = "1 0 8:1 / / rw\n";

    #[Test]
    public function masters_are_found_by_their_title_and_children_by_theirs(): void
    {
        $this->process(10, 1, "php-fpm: master process (/etc/php (8.2)/fpm.conf)\0\0\0");
        $this->process(11, 10, "php-fpm: pool www\0\0");
        $this->process(12, 10, 'php-fpm: pool www                    ');
        $this->process(13, 10, 'php-fpm: pool a b');
        $this->process(14, 10, "/bin/sh\0-c\0php-fpm: pool www");
        $this->process(15, 1, "grep\0php-fpm: master process (x)");
        $this->process(16, 1, '');
        $this->machine->links('/proc/10/exe', '/usr/sbin/php-fpm8.2');
        $masters = $this->masters();

        self::assertCount(1, $masters);
        self::assertSame(
            [10, '/etc/php (8.2)/fpm.conf', '/usr/sbin/php-fpm8.2', false],
            [$masters[0]->pid, $masters[0]->configFile, $masters[0]->program(), $masters[0]->isElsewhere],
        );
        self::assertSame(['www' => [11, 12], 'a b' => [13]], $masters[0]->children());
    }

    #[Test]
    public function a_child_that_was_forked_a_moment_ago_is_no_master(): void
    {
        $this->process(10, 1, 'php-fpm: master process (/etc/fpm.conf)');
        $this->process(11, 10, 'php-fpm: master process (/etc/fpm.conf)');
        $this->process(12, 10, 'php-fpm: pool www');
        $this->process(20, 1, 'php-fpm: master process (/etc/fpm.conf)');

        self::assertSame([10, 20], array_column($this->masters(), 'pid'));
        self::assertSame(['www' => [12]], $this->masters()[0]->children());
    }

    #[Test]
    public function a_program_that_cannot_be_seen_or_was_replaced_is_unknown(): void
    {
        $this->process(10, 1, 'php-fpm: master process (/a)');
        self::assertSame('sudo readlink /proc/10/exe', $this->failure()[1]);
        self::assertStringNotContainsString('/usr/sbin/php-fpm8.2', $this->failure()[0]);

        $this->machine->links('/proc/10/exe', '/usr/sbin/php-fpm8.2 (deleted)');
        self::assertStringContainsString('/usr/sbin/php-fpm8.2 ', $this->failure()[0]);
    }

    #[Test]
    public function root_does_not_run_a_program_that_others_can_change(): void
    {
        $this->process(10, 1, "php-fpm: master process (/etc/it's.conf)");
        $this->machine->has('/proc/'.getmypid().'/status', "Uid:\t0\t0\t0\t0\n")
            ->has('/opt/php-fpm', '')
            ->links('/proc/10/exe', $this->machine->path('/opt/php-fpm'));
        chmod($this->machine->path('/opt/php-fpm'), 0o775);

        try {
            $this->masters()[0]->program();
            self::fail('It is run.');
        } catch (FactUnavailable $e) {
            $expected = UnreadableConfig::changeable($this->machine->path('/opt/php-fpm'), "/etc/it's.conf");

            self::assertSame([$expected->getMessage(), $expected->command], [$e->getMessage(), $e->command]);
            self::assertSame(
                'sudo '.escapeshellarg($this->machine->path('/opt/php-fpm')).' -tt -y '
                    .escapeshellarg("/etc/it's.conf"),
                $e->command,
            );
        }
    }

    #[Test]
    public function neither_the_program_nor_the_files_of_a_container_are_taken_from_here(): void
    {
        $this->process(10, 1, 'php-fpm: master process (/etc/hostname)');
        $this->machine->links('/proc/10/exe', '/bin/true')
            ->has('/container/etc/hostname', "[www]\ninclude = /etc/pools/*.conf\n")
            ->has('/container/srv/a.conf', "[www]\nlisten = /run/its.sock\n")
            ->links('/container/etc/pools/b.conf', '/srv/a.conf')
            ->links('/proc/10/root', '../../container');

        $config = (new FpmConfigProbe)->of($this->masters()[0], $why);

        self::assertSame(UnreadableConfig::elsewhere(10, '/etc/hostname')->getMessage(), $why);
        self::assertSame('/run/its.sock', $config->pool('www')?->text('listen'));
        self::assertSame(
            "{$this->machine->path('/proc/10/root')}/srv/a.conf:2",
            $config->pool('www')->setting('listen')?->origin,
        );
    }

    #[Test]
    public function a_relative_file_is_that_of_the_process(): void
    {
        $this->process(10, 1, 'php-fpm: master process (fpm.conf)');
        $this->machine->has('/srv/shop/fpm.conf', "[www]\nlisten = 9000\n")
            ->links('/proc/10/cwd', $this->machine->path('/srv/shop'));
        $here = (string) getcwd();
        chdir($this->machine->path('/srv'));
        file_put_contents('fpm.conf', "[www]\nlisten = 9999\n");

        try {
            $config = (new FpmConfigProbe)->of($this->masters()[0]);
        } finally {
            chdir($here);
        }

        self::assertSame('9000', $config->pool('www')?->text('listen'));
        self::assertSame(
            "{$this->machine->path('/srv/shop/fpm.conf')}:2",
            $config->pool('www')->setting('listen')?->origin,
        );
    }

    #[Test]
    #[TestWith([null])]
    #[TestWith(['/srv/shop (deleted)'])]
    public function a_relative_file_of_an_unknown_directory_is_unknown(?string $directory): void
    {
        $this->process(10, 1, 'php-fpm: master process (fpm.conf)');
        $directory === null ? null : $this->machine->links('/proc/10/cwd', $directory);
        $this->expectExceptionMessage(UnreadableConfig::relative(10, 'fpm.conf')->getMessage());

        (new FpmConfigProbe)->of($this->masters()[0]);
    }

    /** @return iterable<string, array{string, bool}> mountinfo of the process, and whether its files may be read */
    public static function mounts(): iterable
    {
        yield 'the same root under another number' => [
            "900 800 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n", true,
        ];
        yield 'another device' => ["900 800 0:55 / / rw,relatime - overlay overlay rw\n", false];
        yield 'another directory of it' => ["900 800 8:1 /var/jail / rw - ext4 /dev/sda1 rw\n", false];
        yield 'a root that is no mount' => ["900 800 0:5 / /proc rw - proc proc rw\n", false];
        yield 'a root below another one' => ["1 0 8:1 / / rw\n2 1 0:9 / / rw\n", false];
    }

    #[Test]
    #[DataProvider('mounts')]
    public function mounts_tell_whose_files_they_are_where_the_root_is_hidden(string $mounts, bool $isHere): void
    {
        $this->process(10, 1, "php-fpm: master process ({$this->machine->path('/etc/fpm.conf')})");
        $this->machine->has('/etc/fpm.conf', "[www]\nlisten = 9000\n")->has('/proc/10/mountinfo', $mounts);
        self::assertSame(! $isHere, $this->masters()[0]->isElsewhere);

        if (! $isHere) {
            $this->expectException(FactUnavailable::class);
        }

        self::assertSame('9000', (new FpmConfigProbe)->of($this->masters()[0])->pool('www')?->text('listen'));
    }

    #[Test]
    public function a_pool_that_runs_and_is_not_in_the_file_makes_it_unknown(): void
    {
        $this->process(10, 1, "php-fpm: master process ({$this->machine->path('/etc/fpm.conf')})");
        $this->process(11, 10, 'php-fpm: pool shop');
        $this->machine->has('/etc/fpm.conf', "[www]\nlisten = 9000\n");
        $this->expectExceptionMessage('shop');

        (new FpmConfigProbe)->of($this->masters()[0]);
    }

    /** @return list<RunningMaster> */
    private function masters(): array
    {
        return RunningMaster::all($this->machine->files(), new Proc($this->machine->path('/proc')));
    }

    /**
     * @return array{string, string} message and command
     *
     * @phpstan-impure
     */
    private function failure(): array
    {
        try {
            $this->masters()[0]->program();
        } catch (FactUnavailable $e) {
            return [$e->getMessage(), $e->command];
        }

        self::fail('It is not known.');
    }

    private function process(int $pid, int $parent, string $commandLine): void
    {
        $this->machine
            ->has(
                "/proc/{$pid}/stat",
                "{$pid} (php-fpm) S {$parent} 1 1 0 -1 4194560 1 0 0 0 10 20 0 0 20 0 1 0 4711 1000 10 0\n",
            )
            ->has("/proc/{$pid}/cmdline", $commandLine)
            ->has("/proc/{$pid}/mountinfo", self::MOUNTS)
            ->has('/proc/self/mountinfo', self::MOUNTS)
            ->has("/proc/{$pid}/status", "Uid:\t0\t0\t0\t0\n")
            ->has('/proc/'.getmypid().'/status', "Uid:\t1000\t1000\t1000\t1000\n");
    }
}
