<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Headroom\Bench\Samples;

/**
 * Rows per second of a flush on each database, against hand-written inserts: flush.php.
 */
final readonly class FlushRatio
{
    /** @param callable(string): void $say */
    public function __construct(private int $events, private int $rounds, private mixed $say) {}

    /**
     * @param array<string, array<string, string>> $databases DB_* variables by driver
     * @return array<string, array<string, mixed>>
     */
    public function run(array $databases): array
    {
        $figures = [];

        foreach ($databases as $driver => $variables) {
            $application = new Application($variables);

            try {
                $output = $application->run(dirname(__DIR__).'/flush.php', $application->work(), (string) $this->events, (string) $this->rounds);
            } finally {
                $application->remove();
            }

            ['per_second' => $perSecond, 'cpu_micros' => $cpu] = json_decode($output, true, flags: JSON_THROW_ON_ERROR);
            $samples = static fn (array $sides): array => array_map(static fn (array $values): array => (new Samples($values))->toArray(), $sides);
            $ratio = static fn (string $side): array => (new Samples(array_map(static fn (float $a, float $b): float => $a / $b, $perSecond['ours'], $perSecond[$side])))->toArray();
            $figures[$driver] = [
                'events' => $this->events,
                'rows_per_second' => $samples($perSecond),
                'client_cpu_micros_per_row' => $samples($cpu),
                'ratio' => $ratio('written'),
                'ratio_to_memory' => $ratio('memory'),
            ];
            ($this->say)(sprintf('  %-8s %9.0f rows/s, %.2f of hand-written', $driver, $figures[$driver]['rows_per_second']['ours']['median'], $figures[$driver]['ratio']['median']));
        }

        return $figures;
    }
}
