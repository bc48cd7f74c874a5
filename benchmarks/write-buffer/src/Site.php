<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use RuntimeException;
use Symfony\Component\Process\Process;
use Workbench\Rig\Rig;

/**
 * The application behind nginx and FPM, while other processes of it run: by default spool:work, which empties its
 * buffer.
 */
final readonly class Site
{
    /**
     * @param array<string, string> $variables DB_* and REDIS_* for the application
     * @param list<list<string>> $beside artisan commands that run throughout and end on SIGTERM
     */
    public function __construct(
        private array $variables,
        private int $workers,
        private array $beside = [['spool:work', '--sleep=1']],
    ) {}

    /**
     * @param callable(string): void $measure gets its URL
     * @param callable(Rig): array<string, mixed> $sum is called after all deliveries
     * @param string ...$flushed buckets; all by default
     * @return array<string, mixed>
     */
    public function measured(callable $measure, callable $sum, string ...$flushed): array
    {
        $rig = new Rig($this->variables);

        try {
            $rig->prepare();
            $stack = $rig->serve($this->workers);
            $beside = array_map(static fn (array $command): Process => $rig->start(...$command), $this->beside);
            $measure($stack->url());
            $stack->stop();

            foreach ($beside as $process) {
                if (! $process->isRunning()) {
                    throw new RuntimeException("{$process->getCommandLine()} ended while the endpoints were measured.");
                }

                $process->signal(15);
                $process->wait();
            }

            $rig->artisan('spool:flush', ...$flushed);

            return $sum($rig);
        } finally {
            foreach ($beside ?? [] as $process) {
                $process->stop(1);
            }

            isset($stack) && $stack->stop();
            $rig->remove();
        }
    }
}
