<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Closure;
use Headroom\Core\SystemClock;
use Headroom\Laravel\LaravelSinks;
use Headroom\Spool\Connections;
use Headroom\Spool\Runtime;
use Headroom\Spool\WriteSettings;
use Illuminate\Database\ConnectionResolverInterface;
use RuntimeException;

/**
 * The side that is ours in a turn: sealed segments, and a flush of them that must deliver all.
 */
final readonly class OurFlush
{
    public function __construct(private ConnectionResolverInterface $connections, private string $directory) {}

    /**
     * @param string $name of the sealed events in the directory
     * @param array<string, mixed> $options of the bucket
     * @return Closure(): void what is timed
     */
    public function of(string $name, int $count, string $bucket, array $options): Closure
    {
        $root = "{$this->directory}/".bin2hex(random_bytes(6));
        SealedEvents::at("{$this->directory}/{$name}", $bucket)->copyTo($root);
        $clock = new SystemClock;
        $settings = WriteSettings::fromArray(['path' => $root, 'buckets' => [$bucket => $options]]);
        $runtime = new Runtime(static fn (): WriteSettings => $settings, new Connections(fn (): LaravelSinks => new LaravelSinks($this->connections, $clock)), clock: $clock);

        return static function () use ($runtime, $count, $bucket): void {
            $report = $runtime->flusher()->flush($bucket);

            if ($report->failure !== null || $report->delivered !== $count) {
                throw new RuntimeException("The flush delivered {$report->delivered} of {$count}.", previous: $report->failure);
            }
        };
    }
}
