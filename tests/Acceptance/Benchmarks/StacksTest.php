<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Benchmarks;

use Headroom\Benchmarks\Stacks\Access;
use Headroom\Benchmarks\Stacks\Memory;
use Headroom\Benchmarks\Stacks\MemoryFile;
use Headroom\Benchmarks\Stacks\Pool;
use Headroom\Benchmarks\Stacks\Stacks;
use Headroom\Benchmarks\Stacks\Symbol;
use Headroom\Benchmarks\Stacks\UnableToRead;
use Headroom\Benchmarks\Stacks\VmReadv;
use Headroom\Host\Fpm\Address;
use Headroom\Host\Fpm\FastCgiClient;
use Headroom\Host\Fpm\UnableToQueryPool;
use Headroom\Process\TemporaryDirectory;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The prototype of ADR 28, against a real worker.
 */
final class StacksTest extends TestCase
{
    private const SCRIPT = <<<'PHP'
        <?php
        final class Slow { public static function wait(): void { (static function (): void { sleep(30); })(); } }
        Slow::wait();
        PHP;

    private TemporaryDirectory $directory;

    private ?Pool $pool = null;

    protected function setUp(): void
    {
        if (posix_geteuid() !== 0 || ! is_executable('/usr/sbin/php-fpm8.2') || php_uname('m') !== 'x86_64') {
            self::markTestSkipped('The offsets are those of PHP 8.2 on x86-64, and the pool runs as www-data.');
        }

        $this->directory = TemporaryDirectory::create('stacks');
        chmod($this->root(), 0o755);
        file_put_contents($this->directory->file('slow.php'), self::SCRIPT);
        $this->pool = Pool::start($this->root());
    }

    protected function tearDown(): void
    {
        $this->pool?->stop();

        if (isset($this->directory)) {
            $this->directory->remove();
        }
    }

    #[Test]
    public function the_stack_of_a_running_worker_is_read_both_ways(): void
    {
        $worker = $this->worker();
        $globals = Symbol::address($worker, 'executor_globals');

        self::assertSame([], (new Stacks(new VmReadv($worker), $globals))->now(), 'It waits for a request.');

        $this->letItSleep();

        foreach ([new VmReadv($worker), new MemoryFile($worker)] as $memory) {
            self::assertSame(['(main)', 'Slow::wait', 'Slow::{closure}', 'sleep'], self::stack($memory, $globals));
        }
    }

    #[Test]
    public function a_missing_place_is_reported(): void
    {
        $worker = $this->worker();

        foreach ([new VmReadv($worker), new MemoryFile($worker)] as $memory) {
            foreach ([0, 1, -4_096, PHP_INT_MAX - 7] as $address) {
                $read = null;

                try {
                    $read = $memory->read($address, 8);
                } catch (UnableToRead) {
                }

                self::assertNull($read, $memory::class." at {$address}");
            }
        }
    }

    #[Test]
    public function only_the_kernels_rule_for_ptrace_opens_a_worker(): void
    {
        $access = new Access($this->root());

        $expected = ['root' => true, 'root without CAP_SYS_PTRACE' => false, 'user of the pool' => false];
        self::assertSame($expected, $access->of($this->worker()));

        $this->pool?->stop();
        $this->pool = null;

        self::assertSame(['user of the pool, process.dumpable = yes' => true], $access->ofDumpable());
    }

    /** @return list<string> */
    private static function stack(Memory $memory, int $globals): array
    {
        $until = hrtime(true) + 20_000_000_000;
        $stack = [];

        while (end($stack) !== 'sleep' && hrtime(true) < $until) {
            usleep(10_000);

            try {
                $stack = (new Stacks($memory, $globals))->now();
            } catch (UnableToRead) {
                $stack = [];
            }
        }

        return $stack;
    }

    private function letItSleep(): void
    {
        try {
            $pool = Address::parse($this->directory->file('fpm.sock'));
            (new FastCgiClient(answerMillis: 200))->get($pool, $this->directory->file('slow.php'));
            self::fail('It answered.');
        } catch (UnableToQueryPool) {
            // The worker still sleeps.
        }
    }

    private function worker(): int
    {
        return $this->pool?->worker() ?? 0;
    }

    private function root(): string
    {
        return rtrim($this->directory->file(''), '/');
    }
}
