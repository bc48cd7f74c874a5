<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Headroom\Bench\Samples;
use RuntimeException;

/**
 * Rows per second of a flush on each database, against hand-written inserts: FlushTurn.
 */
final readonly class FlushRatio
{
    private const SIDES = ['ours', 'written', 'memory', 'builder'];

    /** @param callable(string): void $log */
    public function __construct(private int $events, private int $rounds, private mixed $log) {}

    /**
     * @param array<string, array<string, string>> $databases DB_* variables by driver
     * @return array<string, array<string, mixed>>
     */
    public function run(array $databases): array
    {
        $figures = [];

        foreach ($databases as $driver => $variables) {
            [$perSecond, $cpu] = $this->turns($driver, $variables);
            $samples = static fn (array $sides): array
                => array_map(static fn (array $values): array => (new Samples($values))->toArray(), $sides);
            $ratio = static fn (string $side): array => (new Samples(array_map(
                static fn (float $a, float $b): float => $a / $b,
                $perSecond['ours'],
                $perSecond[$side],
            )))->toArray();
            $figures[$driver] = [
                'events' => $this->events,
                'rows_per_second' => $samples($perSecond),
                'client_cpu_micros_per_row' => $samples($cpu),
                'ratio' => $ratio('written'),
                'ratio_to_memory' => $ratio('memory'),
                'ratio_to_builder' => $ratio('builder'),
            ];
            ($this->log)(sprintf(
                '  %-8s %9.0f rows/s, %.2f of hand-written',
                $driver,
                $figures[$driver]['rows_per_second']['ours']['median'],
                $figures[$driver]['ratio']['median'],
            ));
        }

        return $figures;
    }

    /**
     * @param array<string, string> $variables
     * @return array{array<string, list<float>>, array<string, list<float>>} rows per second, and CPU microseconds per
     *     row, by side, one per round
     */
    private function turns(string $driver, array $variables): array
    {
        $application = new Application($variables);
        $run = fn (string $side): string => $application->run(
            dirname(__DIR__).'/turn.php',
            'flush',
            $application->work(),
            (string) $this->events,
            $side,
        );
        [$perSecond, $cpu, $expected] = [[], [], null];

        try {
            $run('prepare');

            for ($round = 0; $round < $this->rounds; $round++) {
                $sides = [...array_slice(self::SIDES, $round % 4), ...array_slice(self::SIDES, 0, $round % 4)];

                // No side always follows the same other one.
                foreach ($round % 2 === 0 ? $sides : array_reverse($sides) as $side) {
                    $taken = json_decode($run($side), true, flags: JSON_THROW_ON_ERROR);
                    $expected ??= $taken['contents'];

                    if ($taken['contents'] !== $expected || (int) $taken['contents']['number'] !== $this->events) {
                        throw new RuntimeException(
                            "{$driver}: the rows of side {$side} are not the others': "
                                .json_encode([$expected, $taken['contents']]),
                        );
                    }

                    $perSecond[$side][] = $this->events / $taken['seconds'];
                    $cpu[$side][] = $taken['cpu'] * 1e6 / $this->events;
                }
            }
        } finally {
            $application->remove();
        }

        return [$perSecond, $cpu];
    }
}
