<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Headroom\Doctor\Edit;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Kernel\Sysctl;
use Headroom\Doctor\Nginx\Config\DiskFiles;
use Headroom\Doctor\Nginx\Config\Parser;
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Process\Programs;
use Headroom\Tests\Support\Sample;
use Headroom\Tests\Unit\Doctor\Kernel\Machine;
use Headroom\Tests\Unit\Doctor\Kernel\MachineTestCase;
use Headroom\Tests\Unit\Doctor\Support\Examined;
use Headroom\Tests\Unit\Doctor\Support\WebServers;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use Random\Engine\Mt19937;
use Random\Randomizer;
use Symfony\Component\Process\Process;

/**
 * A kernel setting of a fix survives the next start: systemd reports the order in which it reads the files.
 */
#[Group('day-2')]
final class SysctlFilesTest extends MachineTestCase
{
    private const DIRECTORIES = ['/etc/sysctl.d', '/run/sysctl.d', '/usr/local/lib/sysctl.d', '/usr/lib/sysctl.d'];

    private const NAMES = ['10-early', '60-headroo', '60-zabbix', '70-nginx', '99-sysctl', '99-tuning', 'redis'];

    private const LINES = [
        'net.core.somaxconn = 128', '-net/core/somaxconn=256', '#net.core.somaxconn = 9', 'net.core.somaxconn=4096',
        "\tnet.core.somaxconn =  64  ", 'net.core.somaxconn_of_another = 5', 'vm.overcommit_memory = 0', '; a comment',
        '',
    ];

    private Randomizer $random;

    protected function setUp(): void
    {
        parent::setUp();
        $this->random = new Randomizer(new Mt19937(Sample::seed()));
    }

    #[Test]
    public function one_limit_is_enough_for_nginx_and_php_fpm(): void
    {
        $this->machine->has('/proc/sys/net/core/somaxconn', "128\n");
        $servers = new WebServers;
        $listens = 'server { listen 80 backlog=4096; } server { listen 81 backlog=1024; }';
        $config = $this->machine->has('/nginx.conf', "http { {$listens} }")->path('/nginx.conf');
        $nginx = $servers->nginx([10 => Parser::files(new DiskFiles, $config)], '1.22.1');
        $pools = $servers->fpm(['www' => ['listen' => '/run/php.sock', 'listen.backlog' => '65535']]);
        $facts = [
            NginxServers::class => static fn (): NginxServers => $nginx,
            FpmPools::class => static fn (): FpmPools => $pools,
            Sysctl::class => fn (): Sysctl => new Sysctl($this->machine->files()),
        ];

        foreach (['N15' => 2, 'F5' => 1] as $rule => $count) {
            $problems = Examined::by($rule, $facts)->problems();
            self::assertCount($count, $problems);

            foreach ($problems as $problem) {
                self::assertEquals(
                    [Edit::append(Sysctl::FILE, 'net.core.somaxconn = 65535')],
                    $problem->finding->fix?->edits,
                );
            }
        }
    }

    #[Test]
    public function the_value_holds_against_the_lines_of_other_files(): void
    {
        Programs::optional('systemd-analyze') !== null || self::markTestSkipped('systemd is not installed');
        $overridden = 0;

        for ($turn = Sample::number(20, 100); $turn > 0; $turn--) {
            $this->machine->remove();
            $this->machine = Machine::create();
            $this->write();
            $edits = (new Sysctl($this->machine->files()))->edits('net.core.somaxconn', 511);
            $overridden += count($edits) > 1 ? 1 : 0;
            array_map($this->apply(...), $edits);

            self::assertSame('511', $this->value(), $this->printed());
            self::assertStringContainsString('net.core.somaxconn = 511', $this->text(Sysctl::FILE));
        }

        self::assertGreaterThan(0, $overridden);
    }

    #[Test]
    public function lines_that_are_read_before_or_say_the_same_are_left_alone(): void
    {
        $this->machine->has('/etc/sysctl.d/10-early.conf', "net.core.somaxconn = 128\n");
        $this->machine->has('/etc/sysctl.conf', "net.core.somaxconn = 511\n");

        self::assertCount(1, (new Sysctl($this->machine->files()))->edits('net.core.somaxconn', 511));
    }

    private function write(): void
    {
        for ($count = $this->random->getInt(1, 5); $count > 0; $count--) {
            $directory = self::DIRECTORIES[$this->random->getInt(0, 3)];
            $this->machine->has("{$directory}/{$this->one(self::NAMES)}.conf", $this->lines());
        }

        $link = '/etc/sysctl.d/99-sysctl.conf';

        if ($this->random->getInt(0, 1) === 1 && ! $this->machine->files()->has($link)) {
            $this->machine->has('/etc/sysctl.conf', $this->lines());
            $this->machine->has('/etc/sysctl.d/README', '');
            $this->machine->links($link, '../sysctl.conf');
        }
    }

    private function lines(): string
    {
        $lines = array_map(fn (): string => $this->one(self::LINES), range(0, $this->random->getInt(0, 3)));

        return implode("\n", $lines)."\n";
    }

    private function apply(Edit $edit): void
    {
        $this->machine->has($edit->file, $edit->appliedTo($this->text($edit->file)));
    }

    private function text(string $path): string
    {
        return is_file($this->machine->path($path)) ? (string) file_get_contents($this->machine->path($path)) : '';
    }

    /** The last one of all that systemd reads. */
    private function value(): ?string
    {
        preg_match_all('~^\s*-?net[./]core[./]somaxconn\s*=\s*(.*?)\s*$~m', $this->printed(), $found);

        return $found[1] === [] ? null : $found[1][count($found[1]) - 1];
    }

    private function printed(): string
    {
        $program = Programs::optional('systemd-analyze') ?? '';
        $command = [$program, "--root={$this->machine->path('')}", 'cat-config', 'sysctl.d'];

        return (new Process($command, env: ['SYSTEMD_COLORS' => '0', 'SYSTEMD_PAGER' => 'cat']))->mustRun()
            ->getOutput();
    }

    /** @param non-empty-list<string> $of */
    private function one(array $of): string
    {
        return $of[$this->random->getInt(0, count($of) - 1)];
    }
}
