<?php

declare(strict_types=1);

/*
 * How fast logs are read, and in how much memory: make bench-logs
 *
 * Four logs are made up from a seed, in the system's directory for temporary files, and each is read several times by
 * the command a user calls, in turns and in processes of their own; they lie in the page cache then.
 * The slow log is also read gzipped.
 */

use Headroom\Bench\Samples;
use Headroom\Benchmarks\Logs\GeneratedLogs;
use Headroom\Benchmarks\Run;
use Headroom\Process\TemporaryDirectory;
use Symfony\Component\Process\Process;

require dirname(__DIR__, 2).'/vendor/autoload.php';

const SEED = 20_260_314;

$benchmark = Run::of('logs');
[$megabytes, $rounds] = $benchmark->isQuick ? [30, 3] : [300, 5];
$directory = TemporaryDirectory::create('logs');
$files = [];
$mbPerSecond = [];
$mbPerCpuSecond = [];
$peaks = [];
$found = [];

try {
    foreach (GeneratedLogs::KINDS as $i => $kind) {
        Run::log("making {$megabytes} MB: {$kind}");
        $files[$kind] = [$kind, $directory->file("{$kind}.log")];
        (new GeneratedLogs(SEED + $i))->write($kind, $directory->file("{$kind}.log"), $megabytes * 1_000_000);
    }

    $files['slow_gz'] = ['slow', $directory->file('slow.log.gz')];
    Process::fromShellCommandline(
        'gzip -c "$FROM" > "$TO"',
        env: ['FROM' => $directory->file('slow.log'), 'TO' => $directory->file('slow.log.gz')],
        timeout: null,
    )->mustRun();

    for ($round = 1; $round <= $rounds; $round++) {
        foreach ($files as $name => [$kind, $path]) {
            Run::log("round {$round}: {$name}");
            $process = new Process(
                [PHP_BINARY, '-d', 'memory_limit=64M', __DIR__.'/read.php', $kind, $path],
                timeout: null,
            );
            $run = json_decode($process->mustRun()->getOutput(), true, flags: JSON_THROW_ON_ERROR);
            $run['unread'] === 0 || throw new RuntimeException("{$name}: {$run['unread']} lines were not read.");
            $mb = filesize($directory->file("{$kind}.log")) / 1e6;
            $mbPerSecond[$name][] = $mb / $run['seconds'];
            $mbPerCpuSecond[$name][] = $mb / $run['cpu_seconds'];
            $peaks[$name] = max($peaks[$name] ?? 0, $run['peak_bytes']);
            $found[$name] = $run['found'];
        }
    }
} finally {
    $directory->remove();
}

[$speeds, $perCpu] = array_map(
    static fn (array $of): array
        => array_map(static fn (array $samples): array => (new Samples($samples))->toArray(), $of),
    [$mbPerSecond, $mbPerCpuSecond],
);
$result = [
    'log_mb_per_s' => array_map(static fn (array $speed): float => round($speed['median'], 1), $speeds),
    'log_mb_per_cpu_s' => array_map(static fn (array $speed): float => round($speed['median'], 1), $perCpu),
    'peak_mb' => array_map(static fn (int $bytes): float => round($bytes / 1e6, 1), $peaks),
];

$benchmark->save([
    'megabytes' => $megabytes,
    'seed' => SEED,
    'mb_per_second' => $speeds,
    'mb_per_cpu_second' => $perCpu,
    'found' => $found,
], $result);
