<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Headroom\Bench\Samples;
use RuntimeException;

/**
 * Events per second of a flush on each database, against code that is written by hand. The sides take turns, each in a
 * process of its own.
 */
final readonly class FlushRatio
{
    /** @param callable(string): void $log */
    public function __construct(private int $events, private int $rounds, private mixed $log) {}

    /**
     * Page views against inserts: FlushTurn.
     *
     * @param array<string, array<string, string>> $databases DB_* variables by driver
     * @return array<string, array<string, mixed>>
     */
    public function ofInserts(array $databases): array
    {
        $figures = [];

        foreach ($databases as $driver => $variables) {
            [$perSecond, $cpu] = $this->turns($driver, $variables, 'flush', ['ours', 'written', 'memory', 'builder']);
            $figures[$driver] = [
                'events' => $this->events,
                'rows_per_second' => self::samples($perSecond),
                'client_cpu_micros_per_row' => self::samples($cpu),
                'ratio' => self::ratio($perSecond, 'written'),
                'ratio_to_memory' => self::ratio($perSecond, 'memory'),
                'ratio_to_builder' => self::ratio($perSecond, 'builder'),
            ];
        }

        return $figures;
    }

    /**
     * Calls counted by 1,000 customers, in mode aggregate, against a statement for each call: AggregateTurn.
     *
     * @param array<string, array<string, string>> $databases DB_* variables by driver
     * @return array<string, array<string, mixed>>
     */
    public function ofCounts(array $databases): array
    {
        $figures = [];

        foreach ($databases as $driver => $variables) {
            [$perSecond] = $this->turns($driver, $variables, 'aggregate', ['ours', 'written']);
            $figures[$driver] = [
                'events' => $this->events,
                'counters' => Counts::COUNTERS,
                'events_per_second' => self::samples($perSecond),
                'ratio' => self::ratio($perSecond, 'written'),
            ];
        }

        return $figures;
    }

    /**
     * @param array<string, string> $variables
     * @param list<string> $sides
     * @return array{array<string, list<float>>, array<string, list<float>>} events per second, and CPU microseconds per
     *     event, by side, one per round
     */
    private function turns(string $driver, array $variables, string $kind, array $sides): array
    {
        $application = new Application($variables);
        $run = fn (string $side): string => $application->run(
            dirname(__DIR__).'/turn.php',
            $kind,
            $application->work(),
            (string) $this->events,
            $side,
        );
        [$perSecond, $cpu, $expected] = [[], [], null];

        try {
            $run('prepare');

            for ($round = 0; $round < $this->rounds; $round++) {
                foreach (Rounds::order($sides, $round) as $side) {
                    $taken = json_decode($run($side), true, flags: JSON_THROW_ON_ERROR);
                    $expected ??= $taken['contents'];

                    if ($taken['contents'] !== $expected) {
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

        ($this->log)(sprintf(
            '  %-8s %9.0f events/s, %.2f times as many as written by hand',
            $driver,
            (new Samples($perSecond['ours']))->median(),
            self::ratio($perSecond, 'written')['median'],
        ));

        return [$perSecond, $cpu];
    }

    /**
     * @param array<string, list<float>> $sides
     * @return array<string, array<string, mixed>>
     */
    private static function samples(array $sides): array
    {
        return array_map(static fn (array $values): array => (new Samples($values))->toArray(), $sides);
    }

    /**
     * Ratios within a round.
     *
     * @param array<string, list<float>> $perSecond
     * @return array<string, mixed>
     */
    private static function ratio(array $perSecond, string $side): array
    {
        return (new Samples(array_map(
            static fn (float $ours, float $other): float => $ours / $other,
            $perSecond['ours'],
            $perSecond[$side],
        )))->toArray();
    }
}
