<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Benchmarks;

use Headroom\Process\Proc;
use Headroom\Process\Signal;
use Headroom\Tests\Acceptance\Host\Needs;
use Headroom\Tests\Support\DirectoryTestCase;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use Symfony\Component\Process\Process;

/** Benchmarks that get a signal while they work, or are killed. */
#[RequiresPhpExtension('pcntl')]
#[Group('proof')]
final class SignalsTest extends DirectoryTestCase
{
    protected function setUp(): void
    {
        parent::setUp();
        // The users of the servers enter it.
        chmod($this->directory->path, 0o755);
    }

    /** @param string $until files that are there when it is in the middle of it */
    #[Test]
    #[TestWith(['queues', 'cache', 'headroom-bench-*/ready-1', SIGTERM])]
    #[TestWith(['queues', 'by-hand', 'headroom-redis-*/log', SIGHUP])]
    #[TestWith(['logs', '', 'headroom-logs-*/slow.log', SIGINT])]
    public function a_benchmark_that_is_asked_to_end_ends_its_processes_and_removes_its_files(
        string $name,
        string $part,
        string $until,
        int $signal,
    ): void {
        $process = $this->started($name, $part, $until);
        $family = (new Proc)->descendants((int) $process->getPid());
        $process->signal($signal);

        self::assertSame(128 + $signal, $process->wait(), $process->getErrorOutput());
        self::assertSame([], array_diff((array) scandir($this->directory->path), ['.', '..']));
        self::assertSame([], $this->alive($family));
    }

    #[Test]
    public function a_benchmark_of_queues_that_is_killed_leaves_no_worker_and_no_server(): void
    {
        Needs::program('setpriv', 'util-linux');
        $process = $this->started('queues', 'cache', 'headroom-bench-*/ready-1');
        $family = (new Proc)->descendants((int) $process->getPid());
        self::assertGreaterThan(3, count($family));
        $process->signal(Signal::Kill->value);

        for ($try = 0; $try < 6_000 && $this->alive($family) !== []; $try++) {
            usleep(10_000);
        }

        self::assertSame([], $this->alive($family));
        // No process is left to remove its own directory; artisan has removed its own.
        self::assertCount(1, array_diff((array) scandir($this->directory->path), ['.', '..']));
    }

    #[Test]
    public function every_benchmark_ends_tidily(): void
    {
        $runs = glob(dirname(__DIR__, 3).'/benchmarks/*/run.php');
        self::assertNotFalse($runs);
        self::assertGreaterThan(5, count($runs));

        foreach ($runs as $run) {
            self::assertMatchesRegularExpression(
                '/ = Run::of\(|^Signals::endTidily\(\);/m',
                (string) file_get_contents($run),
                $run,
            );
        }
    }

    private function started(string $name, string $part, string $until): Process
    {
        Needs::program('mariadbd', 'mariadb-server', 'mariadb');
        Needs::redis();
        $process = new Process(
            [PHP_BINARY, dirname(__DIR__, 3)."/benchmarks/{$name}/run.php"],
            env: ['TMPDIR' => $this->directory->path, 'QUICK' => '1', 'PART' => $part],
            timeout: 300,
        );
        $process->start();

        for ($try = 0; $try < 12_000 && $process->isRunning() && glob($this->directory->file($until)) === []; $try++) {
            usleep(5_000);
        }

        self::assertNotSame([], glob($this->directory->file($until)), $process->getErrorOutput());

        return $process;
    }

    /**
     * @param array<int, mixed> $family by pid
     * @return list<int>
     */
    private function alive(array $family): array
    {
        return array_values(array_filter(array_keys($family), (new Proc)->isAlive(...)));
    }
}
