<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Stacks;

/**
 * Starts excimer in the request itself, runs the page, and adds up the samples.
 */
final readonly class Excimer
{
    public const CODE = <<<'PHP'
        <?php
        $profiler = new ExcimerProfiler;
        $profiler->setEventType(EXCIMER_CPU);
        $profiler->setPeriod(%PERIOD%);
        $profiler->setMaxDepth(250);
        $profiler->start();
        require %PAGE%;
        $profiler->stop();
        $counts = ['samples' => 0, 'entries' => 0, 'tops' => [], 'parts' => []];
        foreach ($profiler->getLog() as $entry) {
            $frame = $entry->getTrace()[0] ?? [];
            $top = (isset($frame['class']) ? "{$frame['class']}::" : '').($frame['function'] ?? '(main)');
            $counts['entries']++;
            $counts['samples'] += $entry->getEventCount();
            $counts['tops'][$top] = ($counts['tops'][$top] ?? 0) + $entry->getEventCount();
        }
        file_put_contents(%LOG%, json_encode($counts)."\n", FILE_APPEND);
        PHP;

    public static function code(float $period, string $page, string $log): string
    {
        return strtr(self::CODE, [
            '%PERIOD%' => (string) $period,
            '%PAGE%' => var_export($page, true),
            '%LOG%' => var_export($log, true),
        ]);
    }

    /** @return array{samples: int, tops: array<string, int>} of all requests that were logged */
    public static function counts(string $log): array
    {
        $all = ['samples' => 0, 'tops' => []];

        foreach (is_file($log) ? (array) file($log, FILE_IGNORE_NEW_LINES) : [] as $line) {
            $counts = json_decode((string) $line, true, flags: JSON_THROW_ON_ERROR);
            $all['samples'] += $counts['samples'];

            foreach ($counts['tops'] as $top => $count) {
                $all['tops'][$top] = ($all['tops'][$top] ?? 0) + $count;
            }
        }

        return $all;
    }
}
