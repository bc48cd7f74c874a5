<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Core\SystemClock;
use Headroom\Load\Metrics\Progress;
use Headroom\Load\Metrics\ProgressListener;
use Headroom\Load\Plan;
use Headroom\Load\Workers\WorkerPool;
use Headroom\Process\Programs;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;

/**
 * A worker process that SIGSTOP has stopped reads no message and handles no signal but SIGKILL.
 */
#[RequiresPhpExtension('pcntl')]
#[RequiresPhpExtension('posix')]
final class StoppedProcessTest extends LoadCommandTestCase
{
    #[Test]
    public function a_process_that_is_stopped_is_killed_after_its_grace_period(): void
    {
        $job = fn (int $index): array => [
            'index' => $index,
            'processes' => 2,
            'input' => array_map(
                base64_encode(...),
                ['url' => $this->server->url('/slow/20'), '--duration' => '60', '--concurrency' => '2'],
            ),
        ];
        $pool = new WorkerPool(
            [Programs::php(), dirname(__DIR__, 3).'/bin/headroom', 'load:worker'],
            new SystemClock,
            graceSeconds: 2,
        );
        $stopper = new class($pool) implements ProgressListener
        {
            private bool $hasStopped = false;

            public function __construct(private readonly WorkerPool $pool) {}

            public function progressed(Progress $progress): void
            {
                $pid = getmypid();
                $children = explode(' ', trim((string) file_get_contents("/proc/{$pid}/task/{$pid}/children")));
                $workers = array_values(array_filter(
                    $children,
                    static fn (string $child): bool
                        => str_contains((string) @file_get_contents("/proc/{$child}/cmdline"), 'load:worker'),
                ));

                // The second worker still reports progress; a second stop() would kill the first one at once.
                if (! $this->hasStopped && $workers !== []) {
                    $this->hasStopped = true;
                    posix_kill((int) $workers[0], 19);
                    $this->pool->stop();
                }
            }
        };
        // Without the grace period, only a second signal ends the run.
        pcntl_async_signals(true);
        pcntl_signal(SIGALRM, static fn () => $pool->stop());
        pcntl_alarm(20);
        $result = $pool->run(Plan::duration(60.0, concurrency: 2), [$job(0), $job(1)], $stopper);
        pcntl_alarm(0);
        pcntl_signal(SIGALRM, SIG_DFL);

        self::assertCount(1, $result->lost);
        Sentence::assertNames(['1', '9', '2'], $result->lost[0]);
        self::assertGreaterThan(0, $result->succeeded());
    }
}
