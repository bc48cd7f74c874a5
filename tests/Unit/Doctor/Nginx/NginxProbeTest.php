<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Nginx;

use Headroom\Doctor\CheckResult;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Nginx\NginxOutput;
use Headroom\Doctor\Nginx\NginxProbe;
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Doctor\Runner\CheckRunner;
use Headroom\Doctor\Status;
use Headroom\Tests\Unit\Doctor\Support\Checks;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class NginxProbeTest extends TestCase
{
    private NginxProcesses $processes;

    protected function setUp(): void
    {
        $this->processes = new NginxProcesses;
    }

    protected function tearDown(): void
    {
        $this->processes->root->remove();
    }

    #[Test]
    public function nginx_is_asked_with_the_arguments_it_was_started_with(): void
    {
        $this->processes->add(
            10,
            1,
            'nginx: master process /opt/nginx -c /srv/n.conf -g worker_processes 3;',
            '/opt/sbin/nginx',
            1024,
        );
        $command = new FakeCommandRunner([
            '-V' => self::version(),
            '-T' => new NginxOutput(0, "# configuration file /srv/n.conf:\nevents {}\n", 'nginx: test is successful'),
        ]);
        [$server] = $this->probe($command)->servers()->known;

        self::assertSame(
            [['/opt/sbin/nginx', '-V'], ['/opt/sbin/nginx', '-c', '/srv/n.conf', '-g', 'worker_processes 3;', '-T']],
            $command->commands,
        );
        self::assertSame(['1.22.1', 10], [$server->facts->version?->number, $server->master->pid]);
        self::assertSame([3, 'nginx -g:1'], [$server->facts->workers(), $server->facts->workerProcesses()->source]);
    }

    /** @return iterable<string, array{NginxOutput}> */
    public static function noDumps(): iterable
    {
        yield 'no permission' => [self::refusal('open() "/run/nginx.pid" failed (13: Permission denied)')];
        yield 'no permission for a key' => [
            self::refusal('cannot load "/k": BIO_new_file() (Permission denied:fopen)'),
        ];
        yield 'a name server that does not answer' => [new NginxOutput(null, '', 'it took too long')];
        yield 'an nginx without -T' => [new NginxOutput(1, '', 'nginx: invalid option: "T"')];
        yield 'nothing is printed' => [new NginxOutput(0, '', '')];
        yield 'a comment that looks like a file' => [
            new NginxOutput(0, "# configuration file /n:\n\n# configuration file /x:\nworker_processes 9;\n", ''),
        ];
    }

    #[Test]
    #[DataProvider('noDumps')]
    public function a_configuration_that_nginx_does_not_print_is_read_from_files(NginxOutput $printed): void
    {
        $file = $this->processes->root->write('n.conf', 'events { worker_connections 7; }');
        $this->processes->add(
            10,
            1,
            "nginx: master process nginx -c {$file} -g worker_processes 5;",
            '/opt/nginx',
            1024,
        );
        $command = new FakeCommandRunner(['-V' => self::version(), '-T' => $printed]);
        [$server] = $this->probe($command)->servers()->known;

        self::assertSame([7, 5], [$server->facts->workerConnections()->number(), $server->facts->workers()]);
    }

    /** @return iterable<string, array{NginxOutput, string, string}> output, file, part of the reason */
    public static function broken(): iterable
    {
        $whole = 'events { worker_connections 7; }';
        yield 'nginx refuses it' => [self::refusal('unknown directive "evens" in /n.conf:1'), $whole, '/n.conf:1'];
        yield 'a semicolon is missing' => [
            self::refusal('invalid number of arguments in "worker_processes" directive in /n.conf:3'),
            "worker_processes 1\nworker_priority 2;",
            '/n.conf:3',
        ];
        yield 'an open block of a file' => [new NginxOutput(null, '', 'it took too long'), "\nevents {", 'n.conf:2'];
        yield 'an include that is gone' => [new NginxOutput(null, '', 'it took too long'), 'include gone;', 'gone'];
        yield 'an open block of a dump' => [
            new NginxOutput(0, "# configuration file /n:\nevents {\n", ''), 'events {', '/n:2',
        ];
    }

    #[Test]
    #[DataProvider('broken')]
    public function a_broken_configuration_is_unknown_until_nginx_takes_it(
        NginxOutput $printed,
        string $text,
        string $reason,
    ): void {
        $file = $this->processes->root->write('n.conf', $text);
        $this->processes->add(10, 1, "nginx: master process nginx -c {$file}", '/opt/nginx', 1024);
        $unknown = $this->unknown(new FakeCommandRunner(['-V' => self::version(), '-T' => $printed]));

        self::assertStringContainsString($reason, $unknown->getMessage());
        self::assertSame("sudo /opt/nginx -c {$file} -t", $unknown->command);
    }

    #[Test]
    public function no_check_of_an_nginx_judges_a_broken_configuration(): void
    {
        $file = $this->processes->root->write('n.conf', 'events { worker_connections 1; ');
        $this->processes->add(10, 1, "nginx: master process nginx -c {$file}", '/opt/nginx', 1024);
        $command = new FakeCommandRunner([
            '-V' => self::version(),
            '-T' => self::refusal("unexpected end of file in {$file}:1"),
        ]);
        $servers = $this->probe($command)->servers();
        $results = (new CheckRunner(Checks::ofLayers('N')))->run(new Facts([
            NginxServers::class => static fn (): NginxServers => $servers,
        ]))->results;
        $statuses = array_map(static fn (CheckResult $result): Status => $result->finding->status, $results);

        self::assertGreaterThan(15, count($results));
        self::assertSame([Status::Unknown], array_values(array_unique($statuses, SORT_REGULAR)));
    }

    #[Test]
    public function where_neither_works_it_is_unknown_and_the_command_is_named(): void
    {
        $this->processes->add(10, 1, 'nginx: master process nginx -c /nowhere/n.conf', '/opt/nginx', 1024);
        $unknown = $this->unknown(
            new FakeCommandRunner(['-V' => self::version(), '-T' => new NginxOutput(null, '', 'it took too long')]),
        );

        self::assertStringContainsString('it took too long', $unknown->getMessage());
        self::assertStringContainsString('/nowhere/n.conf', $unknown->getMessage());
        self::assertSame('sudo /opt/nginx -c /nowhere/n.conf -t', $unknown->command);
    }

    #[Test]
    public function files_of_a_container_are_not_read_for_its_own(): void
    {
        $this->processes->add(
            10,
            1,
            'nginx: master process nginx',
            '/usr/sbin/nginx',
            1024,
            'nginx',
            "9 8 0:5 / / rw\n",
        );
        $command = new FakeCommandRunner([]);
        $unknown = $this->unknown($command);

        self::assertSame([], $command->commands);
        self::assertSame('sudo nsenter -t 10 -a nginx -T', $unknown->command);
    }

    #[Test]
    public function a_file_that_is_mounted_for_nginx_alone_is_not_asked_for_here(): void
    {
        $mounts = NginxProcesses::MOUNTS."9 1 8:2 / /srv rw\n";
        $this->processes->add(
            10,
            1,
            'nginx: master process nginx -c /srv/n.conf',
            '/opt/nginx',
            1024,
            'nginx',
            $mounts,
        );
        $command = new FakeCommandRunner(['-V' => self::version()]);
        $unknown = $this->unknown($command);

        self::assertSame([['/opt/nginx', '-V']], $command->commands);
        self::assertSame('sudo nsenter -t 10 -a nginx -T', $unknown->command);
    }

    #[Test]
    public function a_relative_prefix_is_that_of_the_process(): void
    {
        $this->processes->add(10, 1, 'nginx: master process nginx -p site -c n.conf', '/opt/nginx', 1024);
        symlink('/srv/shop', $this->processes->root->file('10/cwd'));
        $command = new FakeCommandRunner(['-V' => self::version()]);
        $this->probe($command)->servers();
        self::assertContains(['/opt/nginx', '-p', '/srv/shop/site', '-c', 'n.conf', '-T'], $command->commands);

        unlink($this->processes->root->file('10/cwd'));
        $command = new FakeCommandRunner(['-V' => self::version()]);
        $unknown = $this->unknown($command);
        self::assertSame([['/opt/nginx', '-V']], $command->commands, 'No file of another directory is read.');
        self::assertSame('sudo readlink /proc/10/cwd', $unknown->command);
    }

    #[Test]
    public function the_program_of_another_user_is_not_run(): void
    {
        $this->processes->add(10, 1, 'nginx: master process nginx -c /tmp/mine.conf', '/tmp/nginx', 1024, owner: 1001);
        $command = new FakeCommandRunner(['-V' => self::version()]);
        $unknown = $this->unknown($command);

        self::assertSame([], $command->commands);
        self::assertSame("sudo -u '#1001' /tmp/nginx -c /tmp/mine.conf -T", $unknown->command);
        self::assertMatchesRegularExpression('/\b10\b.*\b1001\b/', $unknown->getMessage());
    }

    #[Test]
    public function root_does_not_run_a_program_that_others_can_change(): void
    {
        $program = $this->processes->root->write('nginx', '');
        chmod($program, 0o775);
        $this->processes->root->write(getmypid().'/status', "Name:\tphp\nUid:\t0\t0\t0\t0\n");
        $this->processes->add(10, 1, 'nginx: master process nginx -c /srv/n.conf', $program, 1024);
        $command = new FakeCommandRunner(['-V' => self::version()]);
        $unknown = $this->unknown($command);

        self::assertSame([], $command->commands);
        self::assertSame("sudo {$program} -c /srv/n.conf -T", $unknown->command);
        self::assertStringContainsString($program, $unknown->getMessage());
        self::assertStringContainsString('namei -l', $unknown->getMessage());
    }

    #[Test]
    public function a_program_of_ones_own_is_run(): void
    {
        $this->processes->add(10, 1, 'nginx: master process nginx', '/tmp/nginx', 1024, owner: 1000);
        $command = new FakeCommandRunner([]);
        $this->probe($command)->servers();

        self::assertSame([['/tmp/nginx', '-V']], $command->commands);
    }

    #[Test]
    public function a_title_is_never_a_program(): void
    {
        $program = $this->processes->root->write('nginx', '');
        chmod($program, 0o755);
        $this->processes->add(10, 1, "nginx: master process {$program} -q", null, 1024, 'nginx', null);
        $command = new FakeCommandRunner([
            '-V' => self::version(),
            '-T' => new NginxOutput(0, "# configuration file /n:\n", ''),
        ]);
        $this->probe($command)->servers();

        foreach ($command->commands as $words) {
            self::assertNotSame($program, $words[0] ?? '');
        }
    }

    #[Test]
    public function a_program_with_the_rights_of_another_user_is_not_run(): void
    {
        $this->processes->add(10, 1, 'nginx: master process nginx', '/usr/bin/su', 1024);
        $this->processes->root->write('10/status', "Name:\tnginx\nUid:\t1001\t0\t0\t0\n");
        $command = new FakeCommandRunner(['-V' => self::version()]);
        $this->probe($command)->servers();

        self::assertSame([], $command->commands);
    }

    #[Test]
    public function a_program_that_is_no_nginx_is_told(): void
    {
        $this->processes->add(10, 1, 'nginx: master process nginx', '/opt/nginx', 1024);
        $unknown = $this->unknown(new FakeCommandRunner([]));

        self::assertSame('/opt/nginx -V', $unknown->command);
        self::assertStringContainsString('/opt/nginx', $unknown->getMessage());
    }

    #[Test]
    public function each_master_is_examined(): void
    {
        $this->processes->add(10, 1, 'nginx: master process nginx', '/opt/a', 1024);
        $this->processes->add(20, 1, 'nginx: master process nginx', '/opt/b', 1024);

        self::assertSame([10, 20], array_keys($this->probe(new FakeCommandRunner([]))->servers()->unknown));
    }

    private function probe(FakeCommandRunner $command): NginxProbe
    {
        return new NginxProbe(2, $command, $this->processes->proc());
    }

    private function unknown(FakeCommandRunner $command): FactUnavailable
    {
        $servers = $this->probe($command)->servers();
        self::assertSame([[], [10]], [$servers->known, array_keys($servers->unknown)]);

        return $servers->unknown[10];
    }

    private static function refusal(string $reason): NginxOutput
    {
        return new NginxOutput(
            1,
            '',
            "nginx: [alert] could not open error log file: open() failed (13: Permission denied)\n"
                ."2026 [emerg] 1#1: {$reason}\nnginx: configuration file test failed\n",
        );
    }

    private static function version(): NginxOutput
    {
        return new NginxOutput(
            0,
            '',
            "nginx version: nginx/1.22.1\nconfigure arguments: --prefix=/usr/share/nginx"
                ." --conf-path=/etc/nginx/nginx.conf\n",
        );
    }
}
