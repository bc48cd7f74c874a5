<?php

declare(strict_types=1);

namespace Headroom\Bench\Buffer;

use Closure;
use Headroom\Core\Clock;
use Headroom\Spool\Services\SpoolServices;
use RuntimeException;

/**
 * The speed of one flusher that empties one bucket, in rows a second.
 *
 * @internal
 */
final readonly class FlushBenchmark
{
    private const EVENTS = 20_000;

    private const FRAME = 1000;

    /** @param Closure(): bool $isStopped */
    public function __construct(private Clock $clock, private Closure $isStopped) {}

    /**
     * @param array<string, SpoolServices> $sinks a buffer of its own for each
     * @return array<string, list<float>> rows a second
     */
    public function run(float $seconds, array $sinks, string $bucket): array
    {
        $end = $this->clock->monotonicNanos() + (int) (1e9 * $seconds);
        $rates = array_fill_keys(array_keys($sinks), []);

        for ($round = 0; ($round === 0 || $this->clock->monotonicNanos() < $end) && ! ($this->isStopped)(); $round++) {
            foreach ($sinks as $name => $spool) {
                for ($i = 0; $i < self::EVENTS; $i += self::FRAME) {
                    $spool->buffer()
                        ->bucket($bucket)
                        ->addMany(array_map(AppendBenchmark::event(...), range($i, $i + self::FRAME - 1)));
                }

                $start = $this->clock->monotonicNanos();
                $report = $spool->flusher()->flush($bucket);
                $nanos = $this->clock->monotonicNanos() - $start;

                if ($report->delivered !== self::EVENTS) {
                    throw new RuntimeException(
                        "{$report->delivered} of ".self::EVENTS.' events were delivered: '
                            .($report->failure?->getMessage() ?? 'no reason was given'),
                    );
                }

                $spool->cleaner($bucket)->clean(0);
                $rates[$name][] = self::EVENTS / ($nanos / 1e9);
            }
        }

        return $rates;
    }
}
