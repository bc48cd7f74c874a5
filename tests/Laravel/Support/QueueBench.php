<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

use Headroom\Bench\Interrupted;
use Headroom\Bench\Queues\BenchOptions;
use Headroom\Bench\Queues\Drivers\QueueConnectionFinder;
use Headroom\Bench\Queues\Drivers\QueueDrivers;
use Headroom\Bench\Queues\DriverUnderTest;
use Headroom\Bench\Queues\Scenarios\Scenario;
use Headroom\Core\SystemClock;
use Headroom\Tests\Laravel\WorkbenchApplication;
use Illuminate\Contracts\Config\Repository;
use PHPUnit\Framework\Assert;

/**
 * headroom:bench:queues inside the test's process: its rows on the workbench, without workers.
 */
final class QueueBench
{
    private readonly WorkbenchApplication $workbench;

    private readonly QueueDrivers $queues;

    /** @var list<string> */
    public array $said = [];

    /**
     * @param array<string, string> $environment
     * @param array<string, mixed> $config by keys with dots
     */
    public function __construct(array $environment, array $config = [])
    {
        $this->workbench = WorkbenchApplication::boot($environment);
        $this->repository()->set($config);
        $this->queues = new QueueDrivers(
            $this->workbench->app,
            new QueueConnectionFinder($this->repository()),
            new SystemClock,
            function (string $words): void {
                $this->said[] = $words;
            },
        );
    }

    /** @return non-empty-list<DriverUnderTest> */
    public function rows(
        string $driver,
        Scenario $scenario = Scenario::Empty,
        BenchOptions $options = new BenchOptions,
    ): array {
        $rows = $this->queues->of($scenario, [$driver], $options);
        Assert::assertNotSame([], $rows);

        return $rows;
    }

    /**
     * @template T of object
     * @param class-string<T> $class
     * @return T
     */
    public function make(string $class): object
    {
        return $this->workbench->app->make($class);
    }

    public function migrate(): self
    {
        $this->workbench->migrate();

        return $this;
    }

    /** Ctrl-C while a server does not answer. */
    public static function interruptSoon(): void
    {
        pcntl_async_signals(true);
        pcntl_signal(SIGALRM, static fn () => throw Interrupted::bySignal());
        pcntl_alarm(1);
    }

    public function remove(): void
    {
        $this->queues->remove();
    }

    public function shut(): void
    {
        pcntl_alarm(0);
        pcntl_signal(SIGALRM, SIG_DFL);
        // Remains of a failed test.
        $this->queues->remove();
        $this->workbench->shut();
    }

    private function repository(): Repository
    {
        return $this->workbench->app->make(Repository::class);
    }
}
