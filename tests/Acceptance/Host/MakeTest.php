<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Host;

use Headroom\Tests\Support\DirectoryTestCase;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Process\Process;

/**
 * The Makefile in a directory where bin/services is a script of the test's.
 */
final class MakeTest extends DirectoryTestCase
{
    protected function setUp(): void
    {
        Needs::program('make', 'make');
        parent::setUp();

        foreach (['bin', 'build/services', 'vendor/composer'] as $folder) {
            mkdir($this->directory->file($folder), recursive: true);
        }

        copy(dirname(__DIR__, 3).'/Makefile', $this->directory->file('Makefile'));
    }

    #[Test]
    #[DataProvider('codes_of_an_installation')]
    public function with_ci_a_missing_server_is_a_failure_unless_it_has_no_package(
        string|false $ci,
        int $code,
        bool $passes,
    ): void {
        $this->services("exit {$code}");

        self::assertSame($passes, $this->make(['servers'], ['CI' => $ci])->isSuccessful());
    }

    /** @return iterable<string, array{string|false, int, bool}> */
    public static function codes_of_an_installation(): iterable
    {
        foreach (['true', '1'] as $ci) {
            yield "all are there, CI={$ci}" => [$ci, 0, true];
            yield "something could not be installed, CI={$ci}" => [$ci, 3, false];
            yield "no package, CI={$ci}" => [$ci, 4, true];
            yield "unexpected, CI={$ci}" => [$ci, 100, false];
        }

        yield 'something could not be installed' => [false, 3, true];
    }

    #[Test]
    #[DataProvider('what_is_missing')]
    public function a_target_needs_the_servers_that_it_names_and_nothing_else(string $missing, bool $passes): void
    {
        $this->services("case \$1 in install) exit 4 ;; missing) {$missing} ;; esac");
        $process = $this->make(['--assume-old=install', 'bench-queues', 'COMPOSER=true', 'PHP=true']);

        self::assertSame($passes, $process->isSuccessful(), $process->getErrorOutput());
    }

    /** @return iterable<string, array{string, bool}> */
    public static function what_is_missing(): iterable
    {
        yield 'nothing that it names' => ['exit 0', true];
        yield 'one that it names' => ['echo pgsql', false];
        yield 'it is not known what' => ['exit 1', false];
    }

    #[Test, Group('day-1')]
    public function tests_skipped_within_a_phase_are_in_its_caller_s_summary(): void
    {
        $this->directory->write('outer.mk', <<<'MAKE'
            include Makefile
            outer:
            	@$(PHASES)
            	phase inner $(MAKE) -f outer.mk inner
            	phase silent $(MAKE) -f outer.mk silent
            	summary
            inner:
            	@$(PHASES)
            	skipping() { printf ', 3 skipped: no %s' $$1 >build/$$1.note; }
            	own() { phase mysql skipping mysql; }
            	phase redis skipping redis
            	phase other true
            	lane own
            	join
            	summary
            silent:
            	@$(PHASES)
            	phase other true
            	summary
            MAKE);
        $process = $this->make(['-f', 'outer.mk', 'outer']);

        self::assertTrue($process->isSuccessful(), $process->getErrorOutput());
        self::assertStringEqualsFile(
            $this->directory->file('build/inner.note'),
            ', redis: 3 skipped: no redis, mysql: 3 skipped: no mysql',
        );
        self::assertMatchesRegularExpression(
            '/^inner +passed .+ s, redis: 3 skipped: no redis, mysql: 3 skipped: no mysql\n^silent +passed +\d+ s +\d+ CPU s\n/m',
            $process->getOutput(),
        );
    }

    #[Test]
    public function the_logs_of_an_earlier_run_are_gone_when_the_installation_fails(): void
    {
        $this->directory->write('build/phpunit-core.log', "OK (3 tests, 5 assertions)\n");

        self::assertFalse($this->make(['test', 'MAKE=false'])->isSuccessful());
        self::assertFileDoesNotExist($this->directory->file('build/phpunit-core.log'));
    }

    #[Test]
    public function the_callers_missing_programs_are_joined_with_those_of_this_system(): void
    {
        $this->services('exit 0');
        $this->directory->write('build/services/without', "clickhouse\nhey\n");
        $this->make(
            ['phpunit', 'PHPUNIT=sh -c "printenv HEADROOM_WITHOUT >build/without"'],
            ['HEADROOM_WITHOUT' => 'mysql'],
        );

        self::assertStringEqualsFile($this->directory->file('build/without'), "mysql clickhouse hey\n");
    }

    /** @param list<string> $variables */
    #[Test, Group('day-2')]
    #[DataProvider('what_php_lacks')]
    public function the_line_for_root_works_where_apt_has_no_lists(array $variables, string $package): void
    {
        $system = FakeSystem::with([]);

        try {
            // Root would install what is missing.
            unlink($system->file('path/apt-get'));
            $process = $system->process([$this->program(), 'php-extensions', ...$variables]);
            $process->run();

            self::assertSame(
                1,
                preg_match('/Run as root on Debian: (.+)$/m', $process->getErrorOutput(), $line),
                $process->getErrorOutput(),
            );
            self::assertStringStartsWith('apt-get update && apt-get install -y ', $line[1]);
            self::assertStringEndsWith(" {$package}", $line[1]);
        } finally {
            $system->remove();
        }
    }

    /** @return iterable<string, array{list<string>, string}> */
    public static function what_php_lacks(): iterable
    {
        yield 'PHP' => [['PHP=headroom-none'], 'php-cli'];
        yield 'Composer' => [['COMPOSER=headroom-none'], 'composer'];
        yield 'extensions' => [['COMPOSER=true'], 'php8.4-mbstring php8.4-xml unzip'];
    }

    private function services(string $script): void
    {
        $this->directory->write('bin/services', "#!/bin/sh\n{$script}\n");
        chmod($this->directory->file('bin/services'), 0o755);
    }

    private function program(): string
    {
        return trim((new Process(['sh', '-c', 'command -v make']))->mustRun()->getOutput());
    }

    /**
     * @param list<string> $arguments
     * @param array<string, string|false> $env
     */
    private function make(array $arguments, array $env = []): Process
    {
        // A make that these tests run in hands its own flags and notes on.
        $process = new Process([$this->program(), ...$arguments], $this->directory->path, $env + [
            'CI' => false, 'MAKEFLAGS' => false, 'MFLAGS' => false, 'MAKELEVEL' => false, 'HEADROOM_NOTE' => false,
            'HEADROOM_WITHOUT' => false,
        ], timeout: 60);
        $process->run();

        return $process;
    }
}
