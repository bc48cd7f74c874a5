<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor;

use Closure;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\Config\FpmConfigProbe;
use Headroom\Doctor\Kernel\ExternalProgram;
use Headroom\Doctor\Kernel\KernelFiles;
use Headroom\Doctor\Kernel\KernelLog;
use Headroom\Doctor\Kernel\Sockets\ListenSockets;
use Headroom\Doctor\Nginx\ProcessCommandRunner;
use Headroom\Doctor\UnderLoad\LoadProcess;
use Headroom\Doctor\UnderLoad\Waits\Sockets\SocketStatistics;
use Headroom\Doctor\Versions\SystemPackages;
use Headroom\Laravel\Doctor\DoctorLauncher;
use Headroom\Process\TemporaryDirectory;
use Headroom\Tests\Architecture\Files;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * No fault of an external program ends the doctor or makes a check pass.
 */
final class ExternalProgramsTest extends TestCase
{
    private const NAMES = ['dmesg', 'ss', 'dpkg-query', 'rpm', 'apk', 'php-fpm'];

    private const FAULTS = [
        'sleeps' => "exec sleep 60\n",
        'ignores the end of its time' => "trap '' TERM\nwhile :; do sleep 0.1; done\n",
        'exits with 3' => "echo broken >&2\nexit 3\n",
        'exits with 3 and looks well' => "echo '[    1.000000] boot'\nexit 3\n",
        'is killed' => "kill -9 \$\$\n",
        'crashes' => "kill -SEGV \$\$\n",
        'prints garbage' => "printf 'garbage \\377\\n{}\\n'\nprintf 'garbage \\377\\n{}\\n' >&2\n",
        'prints without end' => "exec yes 'garbage garbage garbage'\n",
        'is no program' => null,
        'is missing' => '',
    ];

    private TemporaryDirectory $directory;

    private string $path;

    public function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('programs');
        $this->path = (string) getenv('PATH');
    }

    public function tearDown(): void
    {
        putenv("PATH={$this->path}");
        $this->directory->remove();
    }

    /** @return iterable<string, array{Closure(string): mixed, string, ?string}> */
    public static function faults(): iterable
    {
        foreach (array_keys(self::probes()) as $probe) {
            foreach (self::FAULTS as $fault => $script) {
                yield "{$probe}, which {$fault}" => [self::probes()[$probe], $fault, $script];
            }
        }
    }

    /** @param Closure(string): mixed $probe */
    #[Test]
    #[DataProvider('faults')]
    public function a_faulty_program_makes_the_fact_unavailable(Closure $probe, string $fault, ?string $script): void
    {
        $this->plant($script);

        if ($script === '' && is_executable('/usr/sbin/ss')) {
            self::markTestSkipped('ss is found without PATH here.');
        }

        $started = microtime(true);

        try {
            $seen = $probe($this->directory->path);
            self::assertNull($seen, "The fact was read from a program which {$fault}.");
        } catch (FactUnavailable $e) {
            self::assertNotSame('', $e->getMessage());
            self::assertNotSame('', $e->command);
            self::assertLessThan(1_000, strlen($e->getMessage()));
        }

        self::assertLessThan(30.0, microtime(true) - $started);
    }

    #[Test]
    public function a_program_that_works_is_read(): void
    {
        $this->plant("printf '[    1.000000] boot\\n'\n");

        self::assertCount(1, KernelLog::read(new KernelFiles, new ExternalProgram(30))->matching('/boot/', 1e12));
    }

    #[Test]
    public function each_class_that_starts_a_program_is_tried_here(): void
    {
        $tried = [
            // It starts artisan, and the page shows its end: DashboardServedTest.
            DoctorLauncher::class,
            ExternalProgram::class,
            FpmConfigProbe::class,
            KernelLog::class,
            ListenSockets::class,
            // Without setpriv the load starts without it: LoadProcessTest.
            LoadProcess::class,
            // Its output is parsed by NginxProbe: NginxProbeTest.
            ProcessCommandRunner::class,
            SocketStatistics::class,
            SystemPackages::class,
        ];
        $starting = [];

        foreach (Files::php('src/Doctor', 'src/Laravel/Doctor') as $file) {
            $code = (string) file_get_contents($file);

            if (
                preg_match('/\bnew (?:Process|ExternalProgram)\b|\b(?:proc_open|popen|exec|shell_exec)\(/', $code)
                === 1
            ) {
                preg_match('/^namespace (.+);$/m', $code, $namespace);
                $starting[] = ($namespace[1] ?? '').'\\'.basename($file, '.php');
            }
        }

        self::assertEqualsCanonicalizing($tried, $starting);
    }

    /** @return array<string, Closure(string): mixed> each is called with the directory of the stand-ins */
    private static function probes(): array
    {
        $soon = new ExternalProgram(0.5);

        return [
            'dmesg' => static fn (): KernelLog => KernelLog::read(new KernelFiles, $soon),
            'ss of a Unix socket' => static fn (string $directory): object
                => (new ListenSockets("{$directory}/ss", program: $soon))->unix('/run/php.sock'),
            'ss of a port' => static fn (string $directory): array
                => (new ListenSockets("{$directory}/ss", program: $soon))->port(9000),
            'ss of connections' => static fn (): ?array => (new SocketStatistics($soon))->tcp([1]),
            'a package manager' => static fn (): object => SystemPackages::ofThisMachine($soon)->of('/usr/sbin/nginx')
                ?? self::fail('The program counts as one of no package.'),
            'php-fpm' => static fn (string $directory): object
                => (new FpmConfigProbe($soon))->dump("{$directory}/php-fpm", '/etc/php-fpm.conf'),
        ];
    }

    /** @param ?string $script null for a file that the kernel cannot run, '' for none */
    private function plant(?string $script): void
    {
        foreach ($script === '' ? [] : self::NAMES as $name) {
            $file = $this->directory->write($name, $script === null ? "\177ELF nonsense" : "#!/bin/sh\n{$script}");
            chmod($file, 0o755);
        }

        putenv("PATH={$this->directory->path}".($script === '' ? '' : ":{$this->path}"));
    }
}
