<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Closure;
use Headroom\Core\SystemClock;
use Headroom\Laravel\Sinks\LaravelSinkFactory;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\Services\Backends;
use Headroom\Spool\Services\SpoolServices;
use Illuminate\Database\ConnectionResolverInterface;
use RuntimeException;

/**
 * The side of the buffer in a turn: sealed segments, and a flush that must deliver all of them.
 */
final readonly class OurFlush
{
    public function __construct(private ConnectionResolverInterface $connections, private string $directory) {}

    /**
     * @param string $name of the sealed events in the directory
     * @param array<string, mixed> $options of the bucket
     * @return Closure(): void timed by the caller
     */
    public function of(string $name, int $count, array $options): Closure
    {
        $root = "{$this->directory}/".bin2hex(random_bytes(6));
        SealedEvents::at("{$this->directory}/{$name}")->copyTo($root);
        $clock = new SystemClock;
        $settings = AppendConfig::fromArray(['path' => $root, 'buckets' => [SealedEvents::BUCKET => $options]]);
        $runtime = new SpoolServices(
            static fn (): AppendConfig => $settings,
            new Backends(fn (): LaravelSinkFactory => new LaravelSinkFactory($this->connections, $clock)),
            clock: $clock,
        );

        return static function () use ($runtime, $count): void {
            $report = $runtime->flusher()->flush(SealedEvents::BUCKET);

            if ($report->failure !== null || $report->delivered !== $count) {
                throw new RuntimeException(
                    "The flush delivered {$report->delivered} of {$count}.",
                    previous: $report->failure,
                );
            }
        };
    }
}
