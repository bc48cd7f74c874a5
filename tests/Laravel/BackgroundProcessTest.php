<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Process\Programs;
use Headroom\Tests\Laravel\Support\ScratchApplication;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * The supervisor of the buckets' processes has a further process, which sends heartbeats.
 */
#[RequiresPhpExtension('pcntl')]
final class BackgroundProcessTest extends TestCase
{
    private ?ScratchApplication $app = null;

    protected function tearDown(): void
    {
        $this->app?->remove();
    }

    #[Test]
    public function a_task_that_hangs_is_killed_and_never_runs_twice_at_once(): void
    {
        $ran = $this->task('hangs');

        self::assertSame([5, 1, ''], [$ran['first'], $ran['most'], $ran['left']]);
        self::assertSame($ran['ran'], $ran['processes']);
        self::assertGreaterThan(1, $ran['processes']);
    }

    #[Test]
    public function a_task_that_returns_runs_again_in_the_same_process(): void
    {
        $ran = $this->task('returns');

        self::assertSame([5, 1, 1, ''], [$ran['first'], $ran['most'], $ran['processes'], $ran['left']]);
        self::assertGreaterThan(3, $ran['ran']);
    }

    #[Test]
    public function a_task_that_works_long_before_its_timeout_starts_is_not_killed(): void
    {
        $ran = $this->task('counts');

        self::assertSame([5, 1, 1, ''], [$ran['first'], $ran['most'], $ran['processes'], $ran['left']]);
        self::assertGreaterThan(0, $ran['ran']);
    }

    /** @return array{first: int, ran: int, processes: int, most: int, left: string} */
    private function task(string $what): array
    {
        if (! is_readable('/proc/self/task/'.getmypid().'/children')) {
            self::markTestSkipped('There is no /proc here to see processes in.');
        }

        $this->app = ScratchApplication::onThisCheckout();
        $ran = $this->app->run([Programs::php(), __DIR__.'/fixtures/background-process.php', $what]);
        /** @var array{first: int, ran: int, processes: int, most: int, left: string} $seen */
        $seen = json_decode($ran->out, true) ?? self::fail($ran->all());

        return $seen;
    }
}
