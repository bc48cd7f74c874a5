<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck;

use Closure;
use Headroom\Bench\Interrupted;
use RuntimeException;

/**
 * Runs each stage on a new stack: the load, then the doctor; for the two stages whose fixes are applied, those and
 * the load again.
 */
final readonly class Stages
{
    private const WARMING_REQUESTS = 20;

    private const SETTLE_SECONDS = 9;

    /** @param Closure(string): void $log */
    public function __construct(private RedisDelay $line, private int $samples, private Closure $log) {}

    /** @return list<array<string, mixed>> */
    public function run(Stage ...$stages): array
    {
        return array_map($this->measured(...), array_values($stages));
    }

    /** @return array<string, mixed> */
    private function measured(Stage $stage): array
    {
        return $this->on($stage, function (Stack $stack) use ($stage): array {
            $load = $this->load($stack);
            $examined = $this->patient($stack)->examined();
            $judged = Score::judge($stage, $examined->cause(), $examined->found());
            ($this->log)(sprintf(
                '  %-12s %5.1f %% errors, mean %.0f ms, CPUs %2.0f %% busy; doctor: %s',
                $stage->value,
                100 * $load['error_rate'],
                $load['mean_ms'],
                100 * $load['cpu_share'],
                $judged['words'],
            ));

            return [
                'stage' => $stage->value,
                'quota' => $stack->quota->how(),
                'load' => $load,
                'doctor' => $examined->toArray(),
                'judged' => $judged,
            ];
        });
    }

    /**
     * Applies the fixes of findings as they are printed.
     * @param string ...$checks in this order; the load runs after each
     * @return array<string, mixed>
     */
    public function fixed(Stage $stage, string ...$checks): array
    {
        return $this->on($stage, function (Stack $stack) use ($stage, $checks): array {
            $steps = [];

            foreach (array_values($checks) as $check) {
                $steps[] = $step = $this->step($stack, $check);
                ($this->log)(sprintf(
                    '  %-12s after %s as printed: %s',
                    $stage->value,
                    $check,
                    $step['trouble'] ?? sprintf(
                        '%.1f %% errors, mean %.0f ms',
                        100 * $step['load']['error_rate'],
                        $step['load']['mean_ms'],
                    ),
                ));
            }

            $last = $steps[count($steps) - 1]['load'] ?? null;

            return [
                'stage' => $stage->value,
                'steps' => $steps,
                'fixed' => $last !== null && $last['error_rate'] < Score::FIXED_ERROR_RATE,
            ];
        });
    }

    /** @return array<string, mixed> */
    private function step(Stack $stack, string $check): array
    {
        $examined = $this->patient($stack)->examined();
        $fix = $examined->problem($check)['fix'] ?? null;

        if ($fix === null) {
            return [
                'check' => $check,
                'trouble' => "{$check} found nothing, so there was nothing to do",
                'done' => [],
                'load' => null,
            ];
        }

        try {
            $done = (new PrintedFix($fix))->apply($stack->application->path());
        } catch (RuntimeException $e) {
            Interrupted::within($e) === null || throw $e;

            return ['check' => $check, 'trouble' => $e->getMessage(), 'done' => [], 'load' => null];
        }

        return [
            'check' => $check,
            'text' => $fix['text'],
            'done' => $done,
            'load' => $this->load($stack),
            'gone' => $this->patient($stack)->examined()->problem($check) === null,
        ];
    }

    /** @return array<string, mixed> */
    private function load(Stack $stack): array
    {
        for ($i = 0; $i < self::WARMING_REQUESTS; $i++) {
            file_get_contents($stack->servers->url()) === false
                && throw new RuntimeException("{$stack->servers->url()} does not answer.");
        }

        $load = (new UserLoad($this->samples))->of($stack->servers->url(), $stack->redis());
        // PHP-FPM still works on abandoned requests; the doctor's requests must not wait behind them.
        sleep(self::SETTLE_SECONDS);

        return $load;
    }

    private function patient(Stack $stack): DoctorRun
    {
        return new DoctorRun($stack->application, $stack->servers->url());
    }

    /**
     * @param Closure(Stack): array<string, mixed> $measure
     * @return array<string, mixed>
     */
    private function on(Stage $stage, Closure $measure): array
    {
        $stack = new Stack($stage, $this->line);

        try {
            return $measure($stack);
        } finally {
            $stack->stop();
        }
    }
}
