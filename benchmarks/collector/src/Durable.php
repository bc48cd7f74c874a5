<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector;

use Closure;
use Headroom\Bench\Samples;
use Headroom\Process\Proc;
use Headroom\Process\TemporaryDirectory;

/**
 * Scenario 3, the intake: one worker that answers 202 when the events are on disk, at two levels of durability; one
 * event a request, and batches of 100 as NDJSON. Each acknowledged event must be in the bucket.
 */
final readonly class Durable
{
    private const TICKS_PER_SECOND = 100;

    /** The values of php.ini for the command line. */
    private const JIT = "opcache.enable_cli=1\nopcache.jit=tracing\nopcache.jit_buffer_size=64M\n";

    /** @param Closure(string): void $log */
    public function __construct(private int $rounds, private float $seconds, private Closure $log) {}

    /** @return array<string, mixed> */
    public function run(): array
    {
        $figures = [];

        foreach (['power' => [], 'process' => ['durability' => 'process']] as $durability => $bucket) {
            foreach ([1, 100] as $lines) {
                $figures["{$durability}_{$lines}"] = $this->measure($durability, $bucket, $lines);
            }
        }

        $ini = TemporaryDirectory::create('ini', null);

        try {
            $ini->write('jit.ini', self::JIT);

            foreach ([1, 100] as $lines) {
                $figures["jit_{$lines}"] = $this->measure('power', [], $lines, ['PHP_INI_SCAN_DIR' => ":{$ini->path}"]);
            }
        } finally {
            $ini->remove();
        }

        return $figures;
    }

    /**
     * @param array<string, mixed> $bucket
     * @param array<string, string> $env
     * @return array<string, mixed>
     */
    private function measure(string $durability, array $bucket, int $lines, array $env = []): array
    {
        [$rates, $perCpu, $p99, $errors, $missing] = [[], [], [], 0, 0];

        for ($round = 0; $round < $this->rounds; $round++) {
            $x = StackX::start(1, bucket: $bucket, env: $env);

            try {
                $worker = $x->pids('worker')[0];
                $before = (new Proc)->stat($worker)->cpuTicks ?? 0;
                $key = $x->key();
                $result = Wrk::events([
                    'EVENT_PREFIX' => "{$durability}-{$round}-",
                    'EVENT_LINES' => (string) $lines,
                    'EVENT_KEY' => $key,
                ])->run("{$x->url}/v1/events", 100, $this->seconds);
                $cpu = ((new Proc)->stat($worker)->cpuTicks ?? 0) - $before;
                $events = ($result->requests - $result->refused) * $lines;
                $rates[] = $result->perSecond() * $lines;
                $perCpu[] = $events * self::TICKS_PER_SECOND / max(1, $cpu);
                $p99[] = $result->p99Millis;
                $errors += $result->errors();
                $missing += max(0, $events - $x->pending());
                ($this->log)(sprintf(
                    '  %s%s, %d a request, round %d of %d: %8.0f events/s, %8.0f a CPU second, p99 %.1f ms',
                    $durability,
                    $env === [] ? '' : ' and JIT',
                    $lines,
                    $round + 1,
                    $this->rounds,
                    end($rates),
                    end($perCpu),
                    $result->p99Millis,
                ));
            } finally {
                $x->stop();
            }
        }

        return [
            'events_per_second' => (new Samples($rates))->toArray(),
            'events_per_cpu_second' => (new Samples($perCpu))->toArray(),
            'p99_ms' => (new Samples($p99))->toArray(),
            'errors' => $errors,
            'missing' => $missing,
        ];
    }
}
