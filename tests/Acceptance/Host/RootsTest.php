<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Host;

use Headroom\Process\Proc;
use Headroom\Tests\Support\DirectoryTestCase;
use Headroom\Tests\Support\Redis\Patience;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use Symfony\Component\Process\Process;

/**
 * dev/roots.bash with an mmdebstrap that says what it is told. The real one runs in `make fresh` and `make platforms`.
 */
#[Group('proof')]
final class RootsTest extends DirectoryTestCase
{
    private const UNAVAILABLE = 69;

    protected function setUp(): void
    {
        Needs::program('zstd', 'zstd');
        parent::setUp();
        mkdir($this->directory->file('bin'));
        // It waits between tries.
        $this->program('sleep', 'exit 0');
    }

    /** @return iterable<string, array{string, int, int}> */
    public static function failures(): iterable
    {
        yield 'no name server' => [
            "W: Failed to fetch http://deb.example/x  Temporary failure resolving 'deb.example'", self::UNAVAILABLE, 3,
        ];
        yield 'nothing listens' => [
            'E: Failed to fetch http://deb.example/x  Could not connect to deb.example:80 (192.0.2.1). - connect (111:'
                .' Connection refused)',
            self::UNAVAILABLE,
            3,
        ];
        yield 'no route' => [
            'E: Cannot initiate the connection to deb.example:80 - connect (101: Network is unreachable)',
            self::UNAVAILABLE,
            3,
        ];
        yield 'debootstrap without a network' => [
            'E: Failed getting release file http://deb.example/dists/sid/Release', self::UNAVAILABLE, 3,
        ];
        yield 'a size that looks like a code' => [
            "Get:5 http://deb.example sid/main Packages [5,404 B]\nE: Temporary failure resolving 'deb.example'",
            self::UNAVAILABLE,
            3,
        ];
        yield 'a full disk' => [
            'E: Failed to fetch http://deb.example/x  Error writing to file - write (28: No space left on device)',
            1,
            1,
        ];
        yield 'a refusal' => ['E: Failed to fetch http://deb.example/x  403  Forbidden [IP: 192.0.2.1 80]', 1, 1];
        yield 'a file that is not there' => [
            'E: Failed to fetch http://deb.example/x  404  Not Found [IP: 192.0.2.1 80]', 1, 1,
        ];
        yield 'another file than the index names' => [
            'E: Failed to fetch http://deb.example/x  Hash Sum mismatch', 1, 1,
        ];
        yield 'an unknown key' => ["E: The repository 'http://deb.example sid InRelease' is not signed.", 1, 1];
        yield 'anything else' => ['E: Unable to locate package nonesuch', 1, 1];
    }

    #[Test]
    #[DataProvider('failures')]
    public function only_a_source_that_cannot_be_reached_is_a_reason_to_skip(string $says, int $code, int $tries): void
    {
        file_put_contents($this->directory->file('says'), $says);
        $this->program(
            'mmdebstrap',
            "echo x >>'{$this->directory->path}/tries'; cat '{$this->directory->path}/says' >&2; exit 1",
        );
        $made = $this->make();

        self::assertSame($code, $made->getExitCode(), $made->getErrorOutput());
        self::assertSame($tries, substr_count((string) file_get_contents($this->directory->file('tries')), 'x'));
        self::assertNotSame('', trim($made->getOutput()), 'A skip and a failure have a reason.');
        self::assertSame([], $this->left());
    }

    #[Test]
    public function an_archive_is_made_once_and_again_where_half_of_it_is_left(): void
    {
        $this->program(
            'mmdebstrap',
            "echo x >>'{$this->directory->path}/tries'; for last; do :; done; head -c 100000 /dev/urandom"
                .' >"$last/file"',
        );
        self::assertSame(0, $this->make()->getExitCode());
        self::assertSame(0, $this->make()->getExitCode());
        self::assertSame("x\n", file_get_contents($this->directory->file('tries')));

        [$archive] = $this->archives();
        $whole = (int) filesize($archive);
        file_put_contents($archive, substr((string) file_get_contents($archive), 0, 50_000));
        self::assertSame(0, $this->make()->getExitCode());
        clearstatcache();
        self::assertSame("x\nx\n", file_get_contents($this->directory->file('tries')));
        self::assertGreaterThan($whole - 1_000, filesize($archive));
        self::assertSame([], $this->left());
    }

    #[Test]
    public function with_a_killed_caller_its_mounts_and_processes_go(): void
    {
        if ((new Process(['unshare', '--mount', '--pid', '--fork', 'true']))->run() !== 0) {
            self::markTestSkipped('Only root can have namespaces of its own, and not in every container.');
        }

        $this->program(
            'mmdebstrap',
            "for last; do :; done; touch \"\$last/half\"; echo \$PPID >'{$this->directory->path}/works'; while :;"
                .' do read -r -t 1 _ </dev/zero || :; done',
        );
        $maker = $this->maker();
        $maker->start();
        Patience::until(fn (): bool => is_file($this->directory->file('works')), 'it makes one');
        $family = (new Proc)->descendants((int) $maker->getPid());
        self::assertNotSame([], $family);
        $maker->signal(SIGKILL);
        Patience::until(
            static fn (): bool => array_filter(array_keys($family), (new Proc)->isAlive(...)) === [],
            'all of them end',
        );

        self::assertSame([], $this->left());
        $this->program('mmdebstrap', 'for last; do :; done; touch "$last/whole"');
        self::assertSame(0, $this->make()->getExitCode());
    }

    private function make(): Process
    {
        $process = $this->maker();
        $process->run();

        return $process;
    }

    private function maker(): Process
    {
        $script = 'set -euo pipefail; . "$1/dev/roots.bash"; code=0; root_archive some sid apt hello || code=$?;'
            .' echo "${ROOT_REASON:-}"; exit "$code"';

        return new Process(['bash', '-c', $script, 'bash', dirname(__DIR__, 3)], env: [
            'PATH' => "{$this->directory->path}/bin:".getenv('PATH'),
            'HEADROOM_CACHE' => $this->directory->file('cache'),
        ], timeout: 60);
    }

    /** @return list<string> paths */
    private function archives(): array
    {
        $archives = glob("{$this->directory->path}/cache/roots/*.tar.zst");

        return $archives === false ? [] : $archives;
    }

    /** @return list<string> names in the cache that belong to no archive */
    private function left(): array
    {
        $names = scandir("{$this->directory->path}/cache/roots");

        return array_values(array_filter(
            $names === false ? [] : $names,
            static fn (string $name): bool
                => preg_match('/\A(\.|\.\.|mount|[\w-]+\.tar\.zst(\.lock)?|some\.log)\z/', $name) !== 1,
        ));
    }

    private function program(string $name, string $code): void
    {
        $path = $this->directory->write("bin/{$name}", "#!/bin/bash\n{$code}\n");
        chmod($path, 0o755);
    }
}
