<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Host;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;
use Symfony\Component\Process\Process;

#[Group('proof')]
final class InstallTest extends TestCase
{
    private const OURS = "#!/bin/sh\n# headroom: nothing may be started while packages are installed\nexit 101\n";

    /** @var list<FakeSystem> */
    private array $systems = [];

    protected function tearDown(): void
    {
        foreach ($this->systems as $system) {
            $system->remove();
        }
    }

    /**
     * @param array<string, string> $candidates
     * @param list<string> $without
     * @param list<string> $installed
     */
    #[Test]
    #[DataProvider('package_sources')]
    public function packages_that_the_sources_lack_are_left_out_by_name(
        array $candidates,
        int $code,
        array $without,
        array $installed,
    ): void {
        FakeSystem::needsRoot();
        $system = $this->system($candidates);

        self::assertCode($code, $system->services('install', 'tmux', 'hey'));
        self::assertSame($without, $system->lines('build/services/without'));
        self::assertSame($installed, $system->lines('installed'));
        self::assertFileDoesNotExist($system->system('usr/sbin/policy-rc.d'));
        self::assertDirectoryDoesNotExist($system->system('etc/postgresql-common'));
    }

    /** @return iterable<string, array{array<string, string>, int, list<string>, list<string>}> */
    public static function package_sources(): iterable
    {
        yield 'all are there' => [['tmux' => '3', 'hey' => '1'], 0, [], ['hey', 'tmux']];
        yield 'one has no candidate' => [['tmux' => '3', 'hey' => '(none)'], 4, ['hey'], ['tmux']];
        yield 'one is not known' => [['tmux' => '3'], 4, ['hey'], ['tmux']];
        yield 'the sources have nothing' => [[], 4, ['hey', 'tmux'], []];
    }

    /** @param list<string> $without */
    #[Test]
    #[DataProvider('lists')]
    public function the_printed_line_for_root_installs_the_packages_that_exist(string $lists, array $without): void
    {
        $system = $this->system(['tmux' => '3']);

        if ($lists === 'there') {
            $system->write('lists', '');
        }

        chmod($system->file('build'), 0o777);
        $process = $system->servicesOfAUser('install', 'tmux', 'hey');

        self::assertCode(3, $process);
        self::assertSame(1, preg_match('/Run as root on Debian: (.+)$/m', $process->getErrorOutput(), $line));
        self::assertCode(0, self::ran($system->process(['bash', '-c', $line[1]])));
        self::assertSame(['tmux'], $system->lines('installed'));
        self::assertSame($without, $system->lines('build/services/without'));
    }

    /** @return iterable<string, array{string, list<string>}> */
    public static function lists(): iterable
    {
        yield 'empty' => ['empty', []];
        yield 'there' => ['there', ['hey']];
    }

    #[Test]
    #[DataProvider('sources_out_of_reach')]
    public function a_package_is_not_lacking_where_its_source_was_out_of_reach(bool $lists): void
    {
        FakeSystem::needsRoot();
        $system = $this->system(['tmux' => '3']);

        if ($lists) {
            $system->write('lists', '');
        }

        $system->write('update.sh', 'echo "E: Failed to fetch" >&2; exit 100');

        self::assertCode(3, $system->services('install', 'tmux', 'hey'));
        self::assertSame([], $system->lines('build/services/without'));
        self::assertSame($lists ? ['tmux'] : [], $system->lines('installed'));
    }

    /** @return iterable<string, array{bool}> */
    public static function sources_out_of_reach(): iterable
    {
        yield 'with the lists of an earlier update' => [true];
        yield 'without lists' => [false];
    }

    /** For this, apt-get update ends with 0 unless it is told otherwise. */
    #[Test]
    public function apt_is_told_that_a_source_out_of_reach_is_an_error(): void
    {
        FakeSystem::needsRoot();
        $system = $this->system([]);
        $system->write('lists', '');
        $system->write('update.sh', 'case $* in *APT::Update::Error-Mode=any*) exit 100 ;; esac');

        self::assertCode(3, $system->services('install', 'hey'));
    }

    #[Test]
    public function the_lock_of_the_lists_is_waited_for(): void
    {
        FakeSystem::needsRoot();
        $system = $this->system(['tmux' => '3']);
        $system->write(
            'update.sh',
            'if test ! -e "$here/third"; then test ! -e "$here/second" || touch "$here/third"; touch "$here/second";'
                .' echo "E: Could not get lock /var/lib/apt/lists/lock." >&2; exit 100; fi',
        );

        self::assertCode(4, $system->services('install', 'tmux', 'hey'));
        self::assertSame(['hey'], $system->lines('build/services/without'));
    }

    /** @param list<string> $without */
    #[Test]
    #[DataProvider('roots_that_fail')]
    public function mysql_is_left_out_only_where_its_packages_are_out_of_reach(
        string $message,
        int $code,
        array $without,
    ): void {
        FakeSystem::needsRoot();
        $system = $this->system([]);
        $system->program('zstd', '');
        $system->program('mmdebstrap', "echo '{$message}'; exit 1");

        self::assertCode($code, $system->services('install', 'mysql', 'hey'));
        self::assertSame($without, $system->lines('build/services/without'));
    }

    /** @return iterable<string, array{string, int, list<string>}> */
    public static function roots_that_fail(): iterable
    {
        yield 'out of reach' => ['Could not resolve deb.debian.org', 4, ['hey', 'mysql']];
        yield 'a broken archive' => ['Hash Sum mismatch', 3, ['hey']];
        yield 'a full disk' => ['No space left on device', 3, ['hey']];
    }

    #[Test]
    public function after_a_failed_installation_the_missing_programs_are_known(): void
    {
        FakeSystem::needsRoot();
        $system = $this->system(['tmux' => '3']);
        // Its program is there and it is not configured.
        $system->write('code', '42');
        $process = $system->services('install', 'tmux', 'hey');

        self::assertCode(3, $process);
        self::assertStringContainsString('42', $process->getErrorOutput());
        self::assertSame(['hey'], $system->lines('build/services/without'));
        self::assertFileDoesNotExist($system->system('usr/sbin/policy-rc.d'));
    }

    #[Test]
    public function a_package_source_that_cannot_be_asked_is_a_failure_of_its_own(): void
    {
        FakeSystem::needsRoot();
        $system = $this->system(['tmux' => '3']);
        $system->program('apt-cache', 'exit 77');

        self::assertCode(77, $system->services('install', 'tmux'));
        self::assertSame([], $system->lines('build/services/without'));
    }

    #[Test]
    public function two_checkouts_install_one_after_the_other(): void
    {
        FakeSystem::needsRoot();
        $first = $this->system(['tmux' => '3']);
        $second = $this->system(['tmux' => '3'], $first);
        $first->write(
            'install.sh',
            'touch "$here/running"; until test -e "$here/go"; do :; done;'
                .' test ! -x "$HEADROOM_SYSTEM/usr/sbin/policy-rc.d" || echo kept >>"$here/seen"',
        );
        $one = $first->process([$first->file('bin/services'), 'install', 'tmux']);
        $other = $second->process([$second->file('bin/services'), 'install', 'tmux']);
        $one->start();
        self::awaited(static fn (): bool => is_file($first->file('running')), 20.0);
        $other->start();
        $early = self::awaited(static fn (): bool => ! $other->isRunning(), 1.5);
        $first->write('go', '');

        self::assertSame(0, $one->wait(), $one->getErrorOutput());
        self::assertSame(0, $other->wait(), $other->getErrorOutput());
        self::assertSame(['kept'], $first->lines('seen'));
        self::assertFalse($early);
        self::assertFileDoesNotExist($first->system('usr/sbin/policy-rc.d'));
    }

    #[Test]
    public function an_apt_get_whose_script_was_killed_ends_and_its_directory_is_removed(): void
    {
        FakeSystem::needsRoot();
        $first = $this->system(['tmux' => '3']);
        $second = $this->system(['tmux' => '3'], $first);
        $first->write(
            'install.sh',
            'touch "$here/running"; until test -e "$here/go"; do :; done;'
                .' test ! -x "$HEADROOM_SYSTEM/usr/sbin/policy-rc.d" || echo kept >>"$here/seen"',
        );
        $one = $first->process([$first->file('bin/services'), 'install', 'tmux']);
        $one->disableOutput();
        $other = $second->process([$second->file('bin/services'), 'install', 'tmux']);
        $one->start();
        self::awaited(static fn (): bool => is_file($first->file('running')), 20.0);
        $one->signal(SIGKILL);
        $other->start();
        $early = self::awaited(static fn (): bool => ! $other->isRunning(), 1.5);
        $first->write('go', '');

        self::assertSame(0, $other->wait(), $other->getErrorOutput());
        self::assertFalse($early);
        self::assertSame(['kept'], $first->lines('seen'));
        self::assertFileDoesNotExist($first->system('usr/sbin/policy-rc.d'));
    }

    #[Test]
    public function another_program_s_policy_stays_and_a_killed_run_s_is_removed(): void
    {
        FakeSystem::needsRoot();
        $system = $this->system(['tmux' => '3']);
        $theirs = "#!/bin/sh\n# not of headroom\nexit 101\n";
        mkdir($system->system('usr/sbin'), 0o755, true);
        file_put_contents($system->system('usr/sbin/policy-rc.d'), $theirs);

        self::assertCode(0, $system->services('install', 'tmux'));
        self::assertStringEqualsFile($system->system('usr/sbin/policy-rc.d'), $theirs);

        file_put_contents($system->system('usr/sbin/policy-rc.d'), self::OURS);
        self::assertCode(0, $system->services('install', 'tmux'));
        self::assertFileDoesNotExist($system->system('usr/sbin/policy-rc.d'));
    }

    #[Test]
    public function package_directories_are_readable_with_any_umask(): void
    {
        FakeSystem::needsRoot();
        $system = $this->system(['tmux' => '3']);
        $system->write(
            'install.sh',
            'umask >>"$here/seen"; stat -c %a "$HEADROOM_SYSTEM/etc/postgresql-common/createcluster.d"'
                .' "$HEADROOM_SYSTEM/etc/postgresql-common/createcluster.d/"* >>"$here/seen"',
        );

        self::assertCode(0, self::ran($system->process(['bash', '-c', 'umask 077; exec bin/services install tmux'])));
        self::assertSame(['0022', '644', '755'], $system->lines('seen'));
        self::assertDirectoryDoesNotExist($system->system('etc'));

        // One that a package owns is not ours.
        $system->program('dpkg', '');
        mkdir($system->system('etc/postgresql-common/createcluster.d'), 0o755, true);
        unlink($system->file('path/tmux'));
        self::assertCode(0, $system->services('install', 'tmux'));
        self::assertDirectoryExists($system->system('etc/postgresql-common/createcluster.d'));
    }

    #[Test]
    public function a_user_without_write_permission_gets_the_same_codes(): void
    {
        $system = $this->system(['tmux' => '3']);
        $system->write('lists', '');
        $system->program('wrk', '');
        chmod($system->file('build'), 0o555);

        self::assertCode(0, $system->servicesOfAUser('install', 'wrk'));
        self::assertCode(3, $system->servicesOfAUser('install', 'tmux', 'hey'));
        self::assertCode(4, $system->servicesOfAUser('install', 'hey'));
    }

    #[Test]
    public function packages_of_npm_that_are_there_by_half_are_not_there(): void
    {
        $system = $this->system([]);
        $system->program('node', '');
        $npm = 'while test "$1" != --prefix; do shift; done; mkdir -p "$2/node_modules/smtp-server"';
        $system->program('npm', "{$npm}; kill -KILL \$\$");

        self::assertSame("smtp\n", $system->services('missing', 'smtp')->getOutput());
        self::assertCode(3, $system->services('install', 'smtp'));
        self::assertSame("smtp\n", $system->services('missing', 'smtp')->getOutput());

        $system->program('npm', $npm);
        self::assertCode(0, $system->services('install', 'smtp'));
        self::assertSame('', $system->services('missing', 'smtp')->getOutput());
        self::assertDirectoryExists($system->file('build/smtp/node_modules/smtp-server'));
    }

    #[Test]
    public function packages_that_were_not_named_are_not_left_out_and_extensions_do_not_wait(): void
    {
        FakeSystem::needsRoot();
        $system = $this->system(['php8.4-curl' => '8']);
        unlink($system->file('path/strace'));
        $system->write('modules', "pdo_mysql\npdo_pgsql\npdo_sqlite\n");
        $system->program('wrk', '');

        self::assertCode(0, $system->services('install', 'wrk'));
        self::assertSame(['php8.4-curl'], $system->lines('installed'));
        self::assertSame([], $system->lines('build/services/without'));

        self::assertCode(4, $system->services('install', 'wrk', 'strace'));
        self::assertSame(['strace'], $system->lines('build/services/without'));
    }

    #[Test]
    public function a_name_that_is_there_by_now_is_no_longer_left_out(): void
    {
        $system = $this->system([]);
        $system->program('wrk', '');
        $system->program('tmux', '');
        $system->write('build/services/without', "hey\nwrk\n");

        self::assertCode(0, $system->services('install', 'tmux'));
        self::assertSame(['hey'], $system->lines('build/services/without'));
    }

    #[Test]
    public function a_system_without_apt_has_no_packages(): void
    {
        $system = $this->system(['tmux' => '3']);
        unlink($system->file('path/apt-get'));

        self::assertCode(4, $system->services('install', 'tmux'));
        self::assertSame(['tmux'], $system->lines('build/services/without'));
    }

    /** @param array<string, string> $candidates */
    private function system(array $candidates, ?FakeSystem $onTheMachineOf = null): FakeSystem
    {
        return $this->systems[] = FakeSystem::with($candidates, $onTheMachineOf);
    }

    private static function ran(Process $process): Process
    {
        $process->run();

        return $process;
    }

    private static function assertCode(int $code, Process $process): void
    {
        self::assertSame($code, $process->getExitCode(), $process->getOutput().$process->getErrorOutput());
    }

    /** @param callable(): bool $isSo */
    private static function awaited(callable $isSo, float $seconds): bool
    {
        for ($until = microtime(true) + $seconds; microtime(true) < $until; usleep(20_000)) {
            if ($isSo()) {
                return true;
            }
        }

        return false;
    }
}
