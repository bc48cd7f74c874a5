<?php

declare(strict_types=1);

namespace Headroom\Benchmarks;

/**
 * The `RESULT {json}` that each experiment ends with, in what it printed.
 */
final readonly class ResultLines
{
    private const PATTERN = '/^RESULT (\{.*\})\r?$/m';

    /** @param string $directory with NAME.log of each */
    public function __construct(private string $directory) {}

    /** @return array<string, mixed> by name; null where an experiment did not come to its end */
    public function of(string ...$names): array
    {
        $ends = [];

        foreach ($names as $name) {
            $log = "{$this->directory}/{$name}.log";
            preg_match_all(self::PATTERN, is_file($log) ? (string) file_get_contents($log) : '', $lines);
            // A line that is not JSON is not a result.
            $ends[$name] = $lines[1] === [] ? null : json_decode($lines[1][count($lines[1]) - 1]);
        }

        return $ends;
    }
}
