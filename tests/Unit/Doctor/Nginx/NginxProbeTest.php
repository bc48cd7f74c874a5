<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx;

use Headroom\Doctor\Nginx\CommandOutput;
use Headroom\Doctor\Nginx\Config\UnableToRead;
use Headroom\Doctor\Nginx\NginxMaster;
use Headroom\Doctor\Nginx\NginxProbe;
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Process\Proc;
use Headroom\Process\TemporaryDirectory;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class NginxProbeTest extends TestCase
{
    private const MOUNTS = "1 0 8:1 / / rw\n";

    private TemporaryDirectory $root;

    protected function setUp(): void
    {
        $this->root = TemporaryDirectory::create('nginx-proc');
        mkdir($this->root->file('self'));
        $this->root->write('self/mountinfo', self::MOUNTS);
        mkdir($this->root->file((string) getmypid()));
        $this->root->write(getmypid().'/status', "Name:\tphp\nUid:\t1000\t1000\t1000\t1000\n");
    }

    protected function tearDown(): void
    {
        $this->root->remove();
    }

    #[Test]
    public function a_master_is_found_with_its_workers_and_their_limits(): void
    {
        $this->process(10, 1, 'nginx: master process /usr/sbin/nginx -c /srv/n.conf -p /srv', '/usr/sbin/nginx', 1024);
        $this->process(11, 10, 'nginx: worker process', null, 8192);
        $this->process(12, 10, 'nginx: worker process is shutting down', null, 8192);
        $this->process(13, 10, 'nginx: cache manager process', null, 8192);
        $this->process(14, 1, 'nginx: worker process', null, 1);
        $this->process(15, 1, 'vi nginx.conf', '/usr/bin/vi', 1, 'vi');
        [$master] = NginxMaster::running(new Proc($this->root->path));

        self::assertCount(1, NginxMaster::running(new Proc($this->root->path)));
        self::assertSame(
            [10, '/usr/sbin/nginx', '/srv/n.conf', '/srv', 1024],
            [$master->pid, $master->binary, $master->started->config, $master->started->prefix, $master->openFiles],
        );
        self::assertSame([11 => 8192], $master->workers);
        self::assertFalse($master->isElsewhere);
    }

    #[Test]
    public function a_forked_worker_is_not_a_master_but_the_successor_of_one_is(): void
    {
        $this->process(10, 1, 'nginx: master process nginx', '/usr/sbin/nginx', 1024);
        $this->process(11, 10, 'nginx: master process nginx', '/usr/sbin/nginx', 1024);
        $this->process(12, 10, 'nginx: worker process', null, 1024);
        $this->process(20, 10, 'nginx: master process nginx', '/usr/sbin/nginx', 1024);
        $this->process(21, 20, 'nginx: worker process', null, 1024);

        self::assertSame(
            [10 => [12], 20 => [21]],
            array_map(
                array_keys(...),
                array_column(NginxMaster::running(new Proc($this->root->path)), 'workers', 'pid'),
            ),
        );
    }

    #[Test]
    public function facts_that_the_kernel_hides_are_unknown(): void
    {
        $this->process(10, 1, 'nginx: master process nginx', null, null, 'nginx', null);
        [$master] = NginxMaster::running(new Proc($this->root->path));

        self::assertSame([null, null, null], [$master->binary, $master->openFiles, $master->isElsewhere]);
    }

    #[Test]
    public function a_program_that_was_replaced_is_not_the_one_that_runs(): void
    {
        $this->process(10, 1, 'nginx: master process nginx', '/usr/sbin/nginx (deleted)', PHP_INT_MAX);

        self::assertNull(NginxMaster::running(new Proc($this->root->path))[0]->binary);
        self::assertSame(PHP_INT_MAX, NginxMaster::running(new Proc($this->root->path))[0]->openFiles);
    }

    #[Test]
    public function nginx_is_asked_with_the_arguments_it_was_started_with(): void
    {
        $this->process(
            10,
            1,
            'nginx: master process /opt/nginx -c /srv/n.conf -g worker_processes 3;',
            '/opt/sbin/nginx',
            1024,
        );
        $command = new FakeCommand([
            '-V' => self::version(),
            '-T' => new CommandOutput(0, "# configuration file /srv/n.conf:\nevents {}\n", 'nginx: test is successful'),
        ]);
        [$result] = (new NginxProbe(2, $command, new Proc($this->root->path)))->examine();

        self::assertSame(
            [['/opt/sbin/nginx', '-V'], ['/opt/sbin/nginx', '-c', '/srv/n.conf', '-g', 'worker_processes 3;', '-T']],
            $command->commands,
        );
        self::assertSame([null, '1.22.1', 10], [$result->reason, $result->version?->number, $result->master?->pid]);
        self::assertSame([3, 'nginx -g:1'], [$result->facts?->workers(), $result->facts?->workerProcesses()->source]);
    }

    #[Test]
    public function a_configuration_that_nginx_refuses_is_read_from_files(): void
    {
        $file = $this->root->write('n.conf', 'events { worker_connections 7; }');
        $this->process(10, 1, "nginx: master process nginx -c {$file} -g worker_processes 5;", '/opt/nginx', 1024);
        $refused = new CommandOutput(
            1,
            '',
            "nginx: [alert] could not open error log file\n2026 [emerg] 1#1: open() \"/run/nginx.pid\" failed (13:"
                ." Permission denied)\nnginx: configuration file {$file} test failed\n",
        );
        [$result] = (new NginxProbe(
            2,
            new FakeCommand(['-V' => self::version(), '-T' => $refused]),
            new Proc($this->root->path),
        ))->examine();

        self::assertSame([7, 5], [$result->facts?->workerConnections()->number(), $result->facts?->workers()]);
        self::assertStringContainsString(
            '2026 [emerg] 1#1: open() "/run/nginx.pid" failed (13: Permission denied)',
            (string) $result->reason,
        );
        self::assertStringContainsString(
            "sudo /opt/nginx -c {$file} -g 'worker_processes 5;' -T",
            (string) $result->reason,
        );
    }

    #[Test]
    public function where_neither_works_it_is_unknown_and_the_command_is_named(): void
    {
        $this->process(10, 1, 'nginx: master process nginx -c /nowhere/n.conf', '/opt/nginx', 1024);
        [$result] = (new NginxProbe(
            2,
            new FakeCommand(['-V' => self::version(), '-T' => new CommandOutput(null, '', 'it took too long')]),
            new Proc($this->root->path),
        ))->examine();

        self::assertNull($result->facts);
        self::assertSame('1.22.1', $result->version?->number);
        self::assertStringContainsString('it took too long', (string) $result->reason);
        self::assertStringContainsString('/nowhere/n.conf', (string) $result->reason);
        self::assertStringContainsString(UnableToRead::missing()->getMessage(), (string) $result->reason);
        self::assertSame('sudo /opt/nginx -c /nowhere/n.conf -T', $result->command);
    }

    #[Test]
    public function a_dump_without_files_is_no_answer(): void
    {
        $this->process(10, 1, 'nginx: master process nginx -c /nowhere/n.conf', '/opt/nginx', 1024);
        [$result] = (new NginxProbe(
            2,
            new FakeCommand(['-V' => self::version(), '-T' => new CommandOutput(0, '', '')]),
            new Proc($this->root->path),
        ))->examine();

        self::assertNull($result->facts);
        self::assertStringContainsString('nginx -T', (string) $result->reason);
        self::assertMatchesRegularExpression('/ 0\b/', (string) $result->reason);
    }

    #[Test]
    public function files_of_a_container_are_not_read_for_its_own(): void
    {
        $this->process(10, 1, 'nginx: master process nginx', '/usr/sbin/nginx', 1024, 'nginx', "9 8 0:5 / / rw\n");
        $command = new FakeCommand([]);
        [$result] = (new NginxProbe(2, $command, new Proc($this->root->path)))->examine();

        self::assertSame([], $command->commands);
        self::assertNotNull($result->reason);
        self::assertSame('sudo nsenter -t 10 -a nginx -T', $result->command);
    }

    #[Test]
    public function a_relative_prefix_is_that_of_the_process(): void
    {
        $this->process(10, 1, 'nginx: master process nginx -p site -c n.conf', '/opt/nginx', 1024);
        symlink('/srv/shop', $this->root->file('10/cwd'));
        $command = new FakeCommand(['-V' => self::version()]);
        (new NginxProbe(2, $command, new Proc($this->root->path)))->examine();
        self::assertContains(['/opt/nginx', '-p', '/srv/shop/site', '-c', 'n.conf', '-T'], $command->commands);

        unlink($this->root->file('10/cwd'));
        $command = new FakeCommand(['-V' => self::version()]);
        [$result] = (new NginxProbe(2, $command, new Proc($this->root->path)))->examine();
        self::assertNull($result->facts);
        self::assertSame([['/opt/nginx', '-V']], $command->commands, 'No file of another directory is read.');
        self::assertSame('sudo readlink /proc/10/cwd', $result->command);
    }

    #[Test]
    public function the_program_of_another_user_is_not_run(): void
    {
        $this->process(10, 1, 'nginx: master process nginx -c /tmp/mine.conf', '/tmp/nginx', 1024, owner: 1001);
        $command = new FakeCommand(['-V' => self::version()]);
        [$result] = (new NginxProbe(2, $command, new Proc($this->root->path)))->examine();

        self::assertSame([], $command->commands);
        self::assertNull($result->facts);
        self::assertSame("sudo -u '#1001' /tmp/nginx -c /tmp/mine.conf -T", $result->command);
        self::assertMatchesRegularExpression('/\b10\b.*\b1001\b/', (string) $result->reason);
        self::assertSame($result->command, NginxServers::of([$result])->unknown[10]->command);
    }

    #[Test]
    public function root_does_not_run_a_program_that_others_can_change(): void
    {
        $program = $this->root->write('nginx', '');
        chmod($program, 0o775);
        $this->root->write(getmypid().'/status', "Name:\tphp\nUid:\t0\t0\t0\t0\n");
        $this->process(10, 1, 'nginx: master process nginx -c /srv/n.conf', $program, 1024);
        $command = new FakeCommand(['-V' => self::version()]);
        [$result] = (new NginxProbe(2, $command, new Proc($this->root->path)))->examine();

        self::assertSame([], $command->commands);
        self::assertSame("sudo {$program} -c /srv/n.conf -T", $result->command);
        self::assertStringContainsString($program, (string) $result->reason);
        self::assertStringContainsString('namei -l', (string) $result->reason);
    }

    #[Test]
    public function a_program_of_ones_own_is_run(): void
    {
        $this->process(10, 1, 'nginx: master process nginx', '/tmp/nginx', 1024, owner: 1000);
        $command = new FakeCommand([]);
        (new NginxProbe(2, $command, new Proc($this->root->path)))->examine();

        self::assertSame([['/tmp/nginx', '-V']], $command->commands);
    }

    #[Test]
    public function a_title_is_never_a_program(): void
    {
        $program = $this->root->write('nginx', '');
        chmod($program, 0o755);
        $this->process(10, 1, "nginx: master process {$program} -q", null, 1024, 'nginx', null);
        $command = new FakeCommand([
            '-V' => self::version(),
            '-T' => new CommandOutput(0, "# configuration file /n:\n", ''),
        ]);
        (new NginxProbe(2, $command, new Proc($this->root->path)))->examine();

        foreach ($command->commands as $words) {
            self::assertNotSame($program, $words[0] ?? '');
        }
    }

    #[Test]
    public function a_program_with_the_rights_of_another_user_is_not_run(): void
    {
        $this->process(10, 1, 'nginx: master process nginx', '/usr/bin/su', 1024);
        $this->root->write('10/status', "Name:\tnginx\nUid:\t1001\t0\t0\t0\n");
        $command = new FakeCommand(['-V' => self::version()]);
        (new NginxProbe(2, $command, new Proc($this->root->path)))->examine();

        self::assertSame([], $command->commands);
    }

    #[Test]
    public function a_program_that_is_no_nginx_is_told(): void
    {
        $this->process(10, 1, 'nginx: master process nginx', '/opt/nginx', 1024);
        [$result] = (new NginxProbe(2, new FakeCommand([]), new Proc($this->root->path)))->examine();

        self::assertSame('/opt/nginx -V', $result->command);
        self::assertStringContainsString('/opt/nginx', (string) $result->reason);
    }

    #[Test]
    public function each_master_is_examined(): void
    {
        $this->process(10, 1, 'nginx: master process nginx', '/opt/a', 1024);
        $this->process(20, 1, 'nginx: master process nginx', '/opt/b', 1024);

        self::assertCount(2, (new NginxProbe(2, new FakeCommand([]), new Proc($this->root->path)))->examine());
    }

    private static function version(): CommandOutput
    {
        return new CommandOutput(
            0,
            '',
            "nginx version: nginx/1.22.1\nconfigure arguments: --prefix=/usr/share/nginx"
                ." --conf-path=/etc/nginx/nginx.conf\n",
        );
    }

    private function process(
        int $pid,
        int $parent,
        string $title,
        ?string $exe,
        ?int $files,
        string $name = 'nginx',
        ?string $mounts = self::MOUNTS,
        int $owner = 0,
    ): void {
        mkdir($this->root->file((string) $pid));
        $this->root->write(
            "{$pid}/stat",
            "{$pid} ({$name}) S {$parent} 1 1 0 -1 4194560 1 0 0 0 10 20 0 0 20 0 1 0 4711 1000 10"
                ." 18446744073709551615 0\n",
        );
        $this->root->write("{$pid}/status", "Name:\t{$name}\nUid:\t{$owner}\t{$owner}\t{$owner}\t{$owner}\n");
        // setproctitle() leaves what it does not need of the old arguments empty.
        $this->root->write("{$pid}/cmdline", $title.str_repeat("\0", 20));

        if ($files !== null) {
            $shown = $files === PHP_INT_MAX ? 'unlimited' : (string) $files;
            $this->root->write(
                "{$pid}/limits",
                "Limit                     Soft Limit           Hard Limit           Units     \nMax processes"
                    ."             1                    2                    processes \nMax open files"
                    ."            {$shown}                 1048576              files     \n",
            );
        }

        if ($exe !== null) {
            symlink($exe, $this->root->file("{$pid}/exe"));
        }

        if ($mounts !== null) {
            $this->root->write("{$pid}/mountinfo", $mounts);
        }
    }
}
