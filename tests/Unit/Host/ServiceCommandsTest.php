<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Host;

use Headroom\Host\ServiceCommands;
use Headroom\Process\Proc;
use Headroom\Tests\Support\DirectoryTestCase;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;

final class ServiceCommandsTest extends DirectoryTestCase
{
    protected function setUp(): void
    {
        parent::setUp();
        $this->process(1, 0, '0::/init.scope');
    }

    /**
     * @return iterable<string, array{bool, string, array<int, array{int, string}>, string}> whether systemd runs, the
     *     server's groups, other processes by pid with their parent and groups, what has it reload
     */
    public static function supervisors(): iterable
    {
        $own = '0::/system.slice/php8.2-fpm.service';
        $signal = 'kill -USR2 70';
        $worker = [71 => [70, $own], 72 => [71, $own]];

        yield 'a unit' => [true, $own, $worker, 'systemctl reload php8.2-fpm'];
        yield 'a unit of a slice of its own' => [
            true,
            '0::/system.slice/system-php\x2dfpm.slice/php-fpm@8.2.service',
            [],
            'systemctl reload php-fpm@8.2',
        ];
        yield 'a unit of the first version of groups' => [
            true,
            "12:pids:/x\n1:name=systemd:/system.slice/nginx.service\n0::/",
            [],
            'systemctl reload nginx',
        ];
        yield 'a unit with a name that a shell reads' => [
            true,
            '0::/system.slice/a\x20b.service',
            [],
            "systemctl reload 'a\\x20b'",
        ];
        yield 'no systemd' => [false, $own, $worker, $signal];
        yield 'started by cron' => [
            true,
            '0::/system.slice/cron.service',
            [80 => [1, '0::/system.slice/cron.service']],
            $signal,
        ];
        yield 'kept by supervisord' => [
            true,
            '0::/system.slice/supervisor.service',
            [60 => [1, '0::/system.slice/supervisor.service']],
            $signal,
        ];
        yield 'started by hand' => [true, '0::/user.slice/user-0.slice/session-3.scope', [], $signal];
        yield 'a unit of one user' => [
            true,
            '0::/user.slice/user-5.slice/user@5.service/app.slice/php-fpm.service',
            [],
            $signal,
        ];
        yield 'the root of a container' => [true, '0::/', [], $signal];
        yield 'nothing that can be read' => [true, '', [], $signal];
    }

    /** @param array<int, array{int, string}> $others */
    #[Test]
    #[DataProvider('supervisors')]
    public function a_server_is_reloaded_by_what_keeps_it(
        bool $systemd,
        string $groups,
        array $others,
        string $reload,
    ): void {
        $this->process(70, 1, $groups);

        foreach ($others as $pid => [$parent, $group]) {
            $this->process($pid, $parent, $group);
        }

        if ($systemd) {
            mkdir($this->directory->file('run/systemd/system'), recursive: true);
        }

        self::assertSame("php-fpm8.2 -t && {$reload}", $this->commands(70)->reload(['php-fpm8.2', '-t'], 'USR2'));
        $this->program('usr/bin/sudo');
        self::assertSame(
            "sudo php-fpm8.2 -t && sudo {$reload}",
            $this->commands(70)->reload(['php-fpm8.2', '-t'], 'USR2'),
        );
    }

    #[Test]
    public function a_restart_waits_until_the_server_is_gone(): void
    {
        $this->process(70, 1, '0::/');

        self::assertSame(
            'nginx -t && kill -QUIT 70 && while kill -0 70 2>/dev/null; do sleep 1; done; nginx',
            $this->commands(70)->restart(['nginx', '-t'], ['nginx']),
        );
        self::assertStringStartsWith(
            'nginx -t && kill -QUIT 1   # ',
            $this->commands(1)->restart(['nginx', '-t'], ['nginx']),
        );
        mkdir($this->directory->file('run/systemd/system'), recursive: true);
        $this->process(70, 1, '0::/system.slice/nginx.service');
        self::assertSame(
            'nginx -t && systemctl restart nginx',
            $this->commands(70)->restart(['nginx', '-t'], ['nginx']),
        );
    }

    #[Test]
    public function a_server_of_a_container_is_asked_in_it(): void
    {
        mkdir($this->directory->file('run/systemd/system'), recursive: true);
        $this->process(70, 1, '0::/system.slice/shop.service');

        foreach (['self' => '8:1', '70' => '0:55'] as $process => $device) {
            is_dir($this->directory->file("proc/{$process}"))
                || mkdir($this->directory->file("proc/{$process}"), recursive: true);
            $this->directory->write("proc/{$process}/mountinfo", "1 0 {$device} / / rw\n");
        }

        self::assertSame(
            'nsenter -t 70 -a nginx -t && kill -HUP 70',
            $this->commands(70)->reload(['nginx', '-t'], 'HUP'),
        );
    }

    #[Test]
    public function a_program_and_a_path_are_those_of_the_server(): void
    {
        $this->process(70, 1, '0::/');
        symlink('/srv/web', $this->directory->file('proc/70/cwd'));
        $commands = $this->commands(70);

        self::assertSame(
            ['nginx', '/opt/nginx/sbin/nginx', '/proc/70/exe'],
            [
                $commands->program('/usr/sbin/nginx', 'x'),
                $commands->program('/opt/nginx/sbin/nginx', 'x'),
                $commands->program(null, '/proc/70/exe'),
            ],
        );
        self::assertSame(
            ['/etc/fpm.conf', '/srv/web/fpm.conf'],
            [$commands->path('/etc/fpm.conf'), $commands->path('fpm.conf')],
        );
    }

    private function commands(int $pid): ServiceCommands
    {
        return new ServiceCommands($pid, new Proc($this->directory->file('proc')));
    }

    private function program(string $path): void
    {
        is_dir(dirname($this->directory->file($path)))
            || mkdir(dirname($this->directory->file($path)), recursive: true);
        $this->directory->write($path, '');
    }

    private function process(int $pid, int $parent, string $groups): void
    {
        $this->program("proc/{$pid}/stat");
        $this->directory->write("proc/{$pid}/stat", "{$pid} (php-fpm) S {$parent} ".str_repeat('0 ', 48));
        $this->directory->write("proc/{$pid}/cgroup", "{$groups}\n");
    }
}
