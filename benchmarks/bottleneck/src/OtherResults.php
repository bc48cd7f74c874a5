<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck;

use RuntimeException;

/**
 * Figures of other runs, with their dates; null if no run measured them.
 */
final readonly class OtherResults
{
    /**
     * @param string $results directory of the results files
     * @param string $planted results of the suite of planted faults
     */
    public function __construct(private string $results, private string $planted) {}

    /**
     * @return array{
     *     log_mb_per_s: mixed,
     *     load_vs_hey: mixed,
     *     percentile_error: mixed,
     *     planted: mixed,
     *     found: mixed,
     *     fixed_by_text: mixed,
     *     false_alarms: mixed,
     * }
     */
    public function figures(): array
    {
        $logs = self::read("{$this->results}/logs.json");
        $load = self::read("{$this->results}/load.json");
        $planted = self::read($this->planted);

        return [
            'log_mb_per_s' => $logs['result']['log_mb_per_s'] ?? null,
            // With one process.
            'load_vs_hey' => $load['result']['load_1_vs_hey'] ?? null,
            'percentile_error' => $load['result']['percentile_error'] ?? null,
            'planted' => $planted['planted'] ?? null,
            'found' => $planted['found'] ?? null,
            'fixed_by_text' => $planted['fixed_by_text'] ?? null,
            'false_alarms' => $planted['false_alarms'] ?? null,
        ];
    }

    /** @return array<string, ?string> when each was measured */
    public function dates(): array
    {
        return [
            'logs' => self::date(self::read("{$this->results}/logs.json")),
            'load' => self::date(self::read("{$this->results}/load.json")),
            'planted' => self::date(self::read($this->planted)),
        ];
    }

    /** @param array<string, mixed> $run */
    private static function date(array $run): ?string
    {
        return $run['machine']['date'] ?? null;
    }

    /** @return array<string, mixed> empty without the file */
    private static function read(string $file): array
    {
        if (! is_file($file)) {
            return [];
        }

        $read = json_decode((string) file_get_contents($file), true);

        return is_array($read) ? $read : throw new RuntimeException("{$file} is no results file. Measure it again.");
    }
}
