<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Host;

use Headroom\Process\Programs;
use Headroom\Process\TemporaryDirectory;
use PHPUnit\Framework\Assert;
use Symfony\Component\Process\Process;

/**
 * A checkout of bin/services on a system whose package source is a directory: sources/PACKAGE holds its candidate. A
 * package that is installed is a program of its name, or an extension of PHP. Its files: lists (apt's, after an
 * update), modules (of PHP), installed (what apt-get was asked for), seen (what was in force while it ran). Files that
 * tests make: update.sh, install.sh and npm.sh, which run first.
 */
final readonly class FakeSystem
{
    private const TOOLS = 'bash sh cat grep sed awk sort paste mkdir rmdir mv rm cp cmp dirname mktemp id flock find'
        .' chmod stat tr cut head tail ls touch sha256sum unshare setpriv env timeout tar sync mount';

    private function __construct(public TemporaryDirectory $directory, private string $system) {}

    /** @param array<string, string> $candidates by package */
    public static function with(array $candidates, ?self $onTheMachineOf = null): self
    {
        $directory = TemporaryDirectory::create('services');
        $fake = new self($directory, $onTheMachineOf->system ?? "{$directory->path}/system");
        chmod($directory->path, 0o755);
        (new Process(['sh', '-c', <<<'SH'
            umask 022
            mkdir -p bin dev path sources system build tests
            cp "$1/bin/services" bin && cp -R "$1/dev/services" "$1/dev/roots.bash" "$1/dev/make-root.sh" dev && cp -R "$1/tests/Smtp" tests && cp "$1/Makefile" .
            for tool in $2; do ln -s "$(command -v "$tool")" path/; done
            SH, 'sh', dirname(__DIR__, 3), self::TOOLS], $directory->path))->mustRun();
        $fake->write('modules', "curl\npdo_mysql\npdo_pgsql\npdo_sqlite\nredis\n");

        foreach ($candidates as $package => $candidate) {
            $fake->write("sources/{$package}", $candidate);
        }

        $fake->program('php', 'case $1 in -m) cat "$here/modules" ;; *) printf 8.4 ;; esac');
        $fake->program('mysqld', 'echo MariaDB');
        $fake->program('dpkg', 'exit 1');
        $fake->program('sleep', '');
        $fake->program('strace', '');
        $fake->program('apt-cache', <<<'SH'
            test -e "$here/lists" || exit 0
            case $* in policy) echo ' 500 a source Packages' ;; pkgnames) ls "$here/sources" ;; esac
            shift
            for package; do test ! -e "$here/sources/$package" || printf '%s:\n  Installed: (none)\n  Candidate: %s\n' "$package" "$(cat "$here/sources/$package")"; done
            SH);
        $fake->program('apt-get', <<<'SH'
            for word; do case $word in update | install) break ;; esac; done
            test ! -e "$here/$word.sh" || . "$here/$word.sh"
            test "$word" = install || { touch "$here/lists"; exit 0; }
            while test "$1" != install; do shift; done
            for package; do case $package in
                install | -*) ;;
                *) test -e "$here/sources/$package" || exit 100
                    echo "$package" >>"$here/installed"
                    case $package in php8.4-*) echo "${package#php8.4-}" >>"$here/modules" ;; *) cp /bin/true "$here/path/$package" ;; esac ;;
            esac; done
            test ! -e "$here/code" || exit "$(cat "$here/code")"
            SH);

        return $fake;
    }

    /** Adds a program as a script for /bin/sh, in which $here is the directory of all programs. */
    public function program(string $name, string $script): void
    {
        $this->write("path/{$name}", "#!/bin/sh\nhere='{$this->directory->path}'\n{$script}\n");
        chmod($this->file("path/{$name}"), 0o755);
    }

    public function write(string $file, string $text): void
    {
        $path = $this->file($file);
        is_dir(dirname($path)) || mkdir(dirname($path), 0o755, true);
        file_put_contents($path, $text);
    }

    public function file(string $name): string
    {
        return "{$this->directory->path}/{$name}";
    }

    public function system(string $name): string
    {
        return "{$this->system}/{$name}";
    }

    /** @return list<string> sorted */
    public function lines(string $file): array
    {
        $lines = is_file($this->file($file))
            ? file($this->file($file), FILE_IGNORE_NEW_LINES | FILE_SKIP_EMPTY_LINES)
            : [];
        $lines = $lines === false ? [] : $lines;
        sort($lines);

        return $lines;
    }

    public static function needsRoot(): void
    {
        posix_geteuid() === 0 || Assert::markTestSkipped('Only root installs packages.');
    }

    /** @param list<string> $command as the user of the tests */
    public function process(array $command): Process
    {
        return new Process($command, $this->directory->path, [
            'PATH' => $this->file('path'),
            'PHP_BINARY' => 'php',
            'HEADROOM_SYSTEM' => $this->system,
            'HEADROOM_CACHE' => $this->file('cache'),
            'HEADROOM_LOCK_SECONDS' => '20',
            'HEADROOM_REDIS_SERVER' => false,
            'HEADROOM_WITHOUT' => false,
            'MAKEFLAGS' => false,
        ], timeout: 60);
    }

    public function services(string ...$arguments): Process
    {
        $process = $this->process([$this->file('bin/services'), ...array_values($arguments)]);
        $process->run();

        return $process;
    }

    /** The same as an ordinary user. */
    public function servicesOfAUser(string ...$arguments): Process
    {
        $user = posix_geteuid() === 0
            ? [Programs::required('setpriv', 'util-linux'), '--reuid=65534', '--regid=65534', '--clear-groups', '--']
            : [];
        $process = $this->process([...$user, $this->file('bin/services'), ...array_values($arguments)]);
        $process->run();

        return $process;
    }

    public function remove(): void
    {
        chmod($this->file('build'), 0o755);
        $this->directory->remove();
    }
}
