<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Facts\Fpm;

use Headroom\Doctor\Facts\Fpm\ConfigProbe;
use Headroom\Doctor\Facts\Fpm\RunningMaster;
use Headroom\Doctor\Facts\Fpm\UnreadableConfig;
use Headroom\Host\Proc;
use Headroom\Tests\Unit\Doctor\Facts\Kernel\Machine;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class RunningMasterTest extends TestCase
{
    private Machine $machine;

    protected function setUp(): void
    {
        $this->machine = Machine::create();
    }

    protected function tearDown(): void
    {
        $this->machine->remove();
    }

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
        self::assertSame([10, '/etc/php (8.2)/fpm.conf', '/usr/sbin/php-fpm8.2', false], [$masters[0]->pid, $masters[0]->configFile, $masters[0]->program(), $masters[0]->isElsewhere]);
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
        $this->machine->has('/proc/'.getmypid().'/status', "Uid:\t0\t0\t0\t0\n")->has('/opt/php-fpm', '')->links('/proc/10/exe', $this->machine->path('/opt/php-fpm'));
        chmod($this->machine->path('/opt/php-fpm'), 0o775);

        try {
            $this->masters()[0]->program();
            self::fail('It is run.');
        } catch (UnreadableConfig $e) {
            $expected = UnreadableConfig::changeable($this->machine->path('/opt/php-fpm'), "/etc/it's.conf");

            self::assertSame([$expected->getMessage(), $expected->command], [$e->getMessage(), $e->command]);
            self::assertSame('sudo '.escapeshellarg($this->machine->path('/opt/php-fpm')).' -tt -y '.escapeshellarg("/etc/it's.conf"), $e->command);
        }
    }

    #[Test]
    public function neither_the_program_nor_the_files_of_a_container_are_taken_from_here(): void
    {
        $this->process(10, 1, 'php-fpm: master process (/etc/hostname)');
        $this->machine->links('/proc/10/exe', '/bin/true')->links('/proc/10/root', '/proc');

        try {
            (new ConfigProbe)->of($this->masters()[0]);
            self::fail('It is elsewhere.');
        } catch (UnreadableConfig $e) {
            self::assertSame(UnreadableConfig::elsewhere(10, '/etc/hostname')->getMessage(), $e->getMessage());
            self::assertSame("sudo nsenter -t 10 -a php-fpm -tt -y '/etc/hostname'", $e->command);
        }
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
        } catch (UnreadableConfig $e) {
            return [$e->getMessage(), $e->command];
        }

        self::fail('It is not known.');
    }

    private function process(int $pid, int $parent, string $commandLine): void
    {
        $this->machine
            ->has("/proc/{$pid}/stat", "{$pid} (php-fpm) S {$parent} 1 1 0 -1 4194560 1 0 0 0 10 20 0 0 20 0 1 0 4711 1000 10 0\n")
            ->has("/proc/{$pid}/cmdline", $commandLine)
            ->has("/proc/{$pid}/status", "Uid:\t0\t0\t0\t0\n")
            ->has('/proc/'.getmypid().'/status', "Uid:\t1000\t1000\t1000\t1000\n");
    }
}
