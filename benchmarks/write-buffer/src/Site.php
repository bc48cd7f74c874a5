<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Workbench\Rig\Rig;

/**
 * The application behind nginx and FPM, while spool:work empties its buffer.
 */
final readonly class Site
{
    /** @param array<string, string> $variables DB_* and REDIS_* as the application sees them */
    public function __construct(private array $variables, private int $workers) {}

    /**
     * @param callable(string): void $measure gets its URL
     * @param callable(Rig): array<string, mixed> $sum is called when all is delivered
     * @param string ...$flushed buckets; none: all
     * @return array<string, mixed>
     */
    public function measured(callable $measure, callable $sum, string ...$flushed): array
    {
        $rig = new Rig($this->variables);

        try {
            $rig->prepare();
            $stack = $rig->serve($this->workers);
            $worker = $rig->worker();
            $measure($stack->url());
            $stack->stop();
            $worker->signal(15);
            $worker->wait();
            $rig->artisan('spool:flush', ...$flushed);

            return $sum($rig);
        } finally {
            isset($worker) && $worker->isRunning() && $worker->stop(1);
            isset($stack) && $stack->stop();
            $rig->remove();
        }
    }
}
