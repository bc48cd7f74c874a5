<?php

declare(strict_types=1);

/*
 * What a flush of one event costs beside the delivered segments that are kept, an hour's by default: CPU of a process
 * that flushes as spool:work does, of which each flush completes a segment. The sink is a file, which costs least:
 *   php benchmarks/write-buffer/completed.php [segments, 7200]
 */

use Headroom\Bench\Samples;
use Headroom\Process\TemporaryDirectory;
use Headroom\Sink\File\FileSink;
use Headroom\Sink\Sink;
use Headroom\Sink\SinkFactory;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\Services\Backends;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Support\ConfigReader;

require dirname(__DIR__, 2).'/vendor/autoload.php';

const LOOKS = 6;
const FLUSHES = 200;

$most = max(LOOKS * FLUSHES, (int) ($argv[1] ?? 7200));
$directory = TemporaryDirectory::create('completed');
$sinks = new class implements SinkFactory
{
    public function make(string $kind, ConfigReader $options): Sink
    {
        return FileSink::fromOptions($options);
    }
};
$settings = AppendConfig::fromArray([
    'path' => "{$directory->path}/buffer",
    'heartbeats' => false,
    'buckets' => ['events' => ['sink' => 'file', 'path' => $directory->file('events.ndjson')]],
]);
$spool = new SpoolServices(static fn (): AppendConfig => $settings, new Backends(static fn (): SinkFactory => $sinks));

$flush = static function () use ($spool): float {
    $spool->buffer()->bucket('events')->add(['name' => 'an event']);
    $before = (array) getrusage();
    $report = $spool->flusher()->flush('events');
    $after = (array) getrusage();

    if ($report->failure !== null || $report->delivered !== 1) {
        throw new RuntimeException("The flush delivered {$report->delivered} of 1.", previous: $report->failure);
    }

    $micros = static fn (array $at): int => 1_000_000 * ($at['ru_utime.tv_sec'] + $at['ru_stime.tv_sec'])
        + $at['ru_utime.tv_usec'] + $at['ru_stime.tv_usec'];

    return (float) ($micros($after) - $micros($before));
};

$result = [];

try {
    // The first one compiles what it needs.
    $flush();

    for ($completed = 1; $completed < $most;) {
        $micros = [];

        for ($i = 0; $i < FLUSHES; $i++, $completed++) {
            $micros[] = $flush();
        }

        $cost = new Samples($micros);
        printf(
            "%6d segments kept: %6.0f us of CPU a flush (%.0f to %.0f)\n",
            $completed,
            $cost->median(),
            $cost->quantile(0.25),
            $cost->quantile(0.75),
        );
        $result[$completed] = round($cost->median());

        // Up to the next look nothing is measured.
        for ($until = min($most, $completed + intdiv($most, LOOKS)) - FLUSHES; $completed < $until; $completed++) {
            $flush();
        }
    }
} finally {
    $directory->remove();
}

echo 'RESULT ', json_encode(['micros_per_flush' => $result], JSON_THROW_ON_ERROR), "\n";
