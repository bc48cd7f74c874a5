<?php

declare(strict_types=1);

/**
 * The cost of one append, measured inside one process: under FPM when a request asks for it, or on the command line.
 * Parameters: dir (an empty directory), rounds. Prints JSON: nanoseconds per operation. The variants take turns in
 * short blocks, each on fresh files, so that a busy moment of the machine affects all of them.
 */

use Headroom\Spool\AppendConfig;
use Headroom\Spool\FileStore\Segment\SegmentWriter;

require dirname(__DIR__, 2).'/vendor/autoload.php';

const BLOCK = 500;

$parameters = PHP_SAPI === 'cli' ? ['dir' => $argv[1] ?? '', 'rounds' => $argv[2] ?? ''] : $_GET;
[$dir, $rounds] = [(string) $parameters['dir'], (int) $parameters['rounds']];
$line = json_encode(['payload' => str_repeat('x', 286)], JSON_THROW_ON_ERROR); // 300 bytes

$writer = static fn (string $name): SegmentWriter
    => new SegmentWriter(AppendConfig::fromArray(['path' => "{$dir}/{$name}"]), 'events');
[$opened, $kept] = [$writer('opened'), $writer('kept')];
mkdir("{$dir}/naive", recursive: true);

$variants = [
    'naive' => static fn () => file_put_contents("{$dir}/naive/events.log", $line."\n", FILE_APPEND | LOCK_EX),
    'opened' => static fn () => $opened->append($line, 1),
    'kept' => static fn () => $kept->append($line, 1),
];

$samples = array_fill_keys(array_keys($variants), []);

for ($round = 0; $round < $rounds; $round++) {
    foreach ($variants as $name => $append) {
        if ($name === 'kept') {
            $kept->keepSegmentOpen();
            $append(); // the first of a scope opens and closes, the second keeps
            $append();
        } else {
            $append();
        }

        for ($i = 0; $i < BLOCK; $i++) {
            $start = hrtime(true);
            $append();
            $samples[$name][] = hrtime(true) - $start;
        }

        $kept->closeSegment();

        foreach ([...(glob("{$dir}/*/*/events/active/*") ?: []), "{$dir}/naive/events.log"] as $file) {
            @unlink($file);
        }
    }
}

$quantiles = static function (array $values): array {
    sort($values);

    return [
        'p50' => $values[(int) (count($values) * 0.5)],
        'p99' => $values[(int) (count($values) * 0.99)],
        'mean' => array_sum($values) / count($values),
        'samples' => count($values),
    ];
};

header('Content-Type: application/json');
echo json_encode([
    'sapi' => PHP_SAPI,
    'can_fork' => function_exists('pcntl_fork'),
    'opcache' => function_exists('opcache_get_status') && (opcache_get_status(false)['opcache_enabled'] ?? false),
    'timer' => $quantiles(array_map(static function (): int {
        $start = hrtime(true);

        return hrtime(true) - $start;
    }, range(1, 2000)))['p50'],
    'nanos' => array_map($quantiles, $samples),
], JSON_THROW_ON_ERROR), "\n";
