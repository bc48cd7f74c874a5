<?php

declare(strict_types=1);

/*
 * The cost of an append at the three levels of durability: php benchmarks/durability/run.php [DIRECTORY]
 *
 * The levels take turns in short blocks in one process, with the file opened for each event and with the file kept
 * open. They write to the disk of DIRECTORY, by default the disk of the system's temporary files. During the blocks of
 * `interval` a worker syncs twice a block.
 */

use Headroom\Benchmarks\Run;
use Headroom\Core\SystemClock;
use Headroom\Process\TemporaryDirectory;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\FileStore\FilesystemProbe;
use Headroom\Spool\FileStore\Fsync\Syncer;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\Segment\SegmentWriter;
use Symfony\Component\Process\Process;

require dirname(__DIR__, 2).'/vendor/autoload.php';

const LEVELS = ['process', 'interval', 'power'];

$run = Run::of('durability');
[$rounds, $block] = [$run->isQuick ? 10 : 40, 50];
$temporary = TemporaryDirectory::create('durability');
$root = isset($argv[1]) ? rtrim($argv[1], '/').'/headroom-durability-'.bin2hex(random_bytes(6)) : $temporary->path;
is_dir($root) || mkdir($root, 0700);
$line = json_encode(['payload' => str_repeat('x', 286)], JSON_THROW_ON_ERROR); // 300 bytes
$config = AppendConfig::fromArray([
    'path' => $root,
    'buckets' => array_map(
        static fn (string $level): array => ['sink' => 'file', 'durability' => $level],
        array_combine(LEVELS, LEVELS),
    ),
]);
$slots = array_map(
    static fn (string $level): SegmentWriter => new SegmentWriter($config, $level),
    array_combine(LEVELS, LEVELS),
);
$syncer = new Syncer($root, new Layout($root, 'interval'), new Permissions, new SystemClock);
$nanos = [];

try {
    for ($round = 0; $round < $rounds; $round++) {
        foreach (['opened', 'kept'] as $how) {
            foreach (LEVELS as $level) {
                $slot = $slots[$level];
                $how === 'kept' ? $slot->keepSegmentOpen() : null;
                $slot->append($line, 1); // the first of a scope opens and closes, the second keeps
                $slot->append($line, 1);

                for ($i = 0; $i < $block; $i++) {
                    $level === 'interval' && $i % 25 === 0 ? $syncer->round() : null;
                    $start = hrtime(true);
                    $slot->append($line, 1);
                    $nanos[$how][$level][] = hrtime(true) - $start;
                }

                $slot->closeSegment();
            }
        }
    }

    $filesystem = new FilesystemProbe($root);
    $type = $filesystem->type();
} finally {
    (new Process(['rm', '-rf', '--', $root]))->mustRun();
    $temporary->remove();
}

$micros = static function (array $samples): array {
    sort($samples);

    return [
        'p50' => round($samples[(int) (count($samples) * 0.5)] / 1000, 2),
        'p99' => round($samples[(int) (count($samples) * 0.99)] / 1000, 2),
        'samples' => count($samples),
    ];
};
$append = array_map(static fn (array $levels): array => array_map($micros, $levels), $nanos);
$result = [];

foreach ($append as $how => $levels) {
    foreach ($levels as $level => $row) {
        foreach (['p50', 'p99'] as $percentile) {
            $result["{$level}_{$how}_{$percentile}_ratio"] = round(
                $row[$percentile] / $levels['process'][$percentile],
                2,
            );
        }
    }
}

$run->save(['filesystem' => $type, 'micros' => $append], $result);
