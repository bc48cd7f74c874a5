<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Headroom\Bench\Samples;
use RuntimeException;

/**
 * Calls counted by 1,000 customers: mode aggregate against a statement for each call, in turns.
 */
final readonly class AggregateRatio
{
    private const SIDES = ['ours', 'written'];

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
            $perSecond = $this->turns($driver, $variables);
            $figures[$driver] = [
                'events' => $this->events,
                'counters' => Counts::COUNTERS,
                'events_per_second' => array_map(
                    static fn (array $values): array => (new Samples($values))->toArray(),
                    $perSecond,
                ),
                'ratio' => (new Samples(array_map(
                    static fn (float $a, float $b): float => $a / $b,
                    $perSecond['ours'],
                    $perSecond['written'],
                )))->toArray(),
            ];
            ($this->log)(sprintf(
                '  %-8s %9.0f events/s, %.1f times as many as row by row',
                $driver,
                $figures[$driver]['events_per_second']['ours']['median'],
                $figures[$driver]['ratio']['median'],
            ));
        }

        return $figures;
    }

    /**
     * @param array<string, string> $variables
     * @return array<string, list<float>> events per second by side, one per round
     */
    private function turns(string $driver, array $variables): array
    {
        $application = new Application($variables);
        $run = fn (string $side): string => $application->run(
            dirname(__DIR__).'/turn.php',
            'aggregate',
            $application->work(),
            (string) $this->events,
            $side,
        );
        $perSecond = [];

        try {
            $run('prepare');

            for ($round = 0; $round < $this->rounds; $round++) {
                foreach ($round % 2 === 0 ? self::SIDES : array_reverse(self::SIDES) as $side) {
                    $taken = json_decode($run($side), true, flags: JSON_THROW_ON_ERROR);
                    $taken['isExact']
                        || throw new RuntimeException(
                            "{$driver}: the counts of side {$side} are not those of the events.",
                        );
                    $perSecond[$side][] = $this->events / $taken['seconds'];
                }
            }
        } finally {
            $application->remove();
        }

        return $perSecond;
    }
}
