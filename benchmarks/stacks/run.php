<?php

declare(strict_types=1);

/*
 * What it costs to sample PHP stacks, and what the samples say: php benchmarks/stacks/run.php
 */

use Headroom\Bench\Machine;
use Headroom\Benchmarks\Signals;
use Headroom\Benchmarks\Stacks\Access;
use Headroom\Benchmarks\Stacks\Callgrind;
use Headroom\Benchmarks\Stacks\Excimer;
use Headroom\Benchmarks\Stacks\Known;
use Headroom\Benchmarks\Stacks\Overhead;
use Headroom\Benchmarks\Stacks\Pool;
use Headroom\Benchmarks\Stacks\SlowLog;
use Headroom\Core\SystemClock;
use Headroom\Process\TemporaryDirectory;
use Symfony\Component\Process\Process;

require dirname(__DIR__, 2).'/vendor/autoload.php';

Signals::endTidily();

$isQuick = ! in_array(getenv('QUICK'), [false, '', '0'], true);
$phpspy = getenv('PHPSPY');
$directory = TemporaryDirectory::create('stacks');
$path = $directory->file('');
chmod($path, 0o755);
$page = "{$path}page.php";
file_put_contents($page, Known::code());

foreach (['excimer-10ms' => 0.01, 'excimer-1ms' => 0.001] as $name => $period) {
    file_put_contents("{$path}{$name}.php", Excimer::code($period, $page, "{$path}{$name}.log"));
    touch("{$path}{$name}.log");
    chmod("{$path}{$name}.log", 0o666);
}

try {
    $pool = Pool::start(rtrim($path, '/'));

    try {
        $result = (new Overhead($pool, rtrim($path, '/'), $phpspy === false ? null : $phpspy))->run($isQuick ? 2 : 5);
        $result['access'] = (new Access(rtrim($path, '/')))->of($pool->worker());
    } finally {
        $pool->stop();
    }

    $result['access'] += (new Access(rtrim($path, '/')))->ofDumpable();
    $result['slow_log'] = (new SlowLog(rtrim($path, '/')))->run($page, $isQuick ? 2 : 5);
    $result['excimer_instructions'] = (new Callgrind(rtrim($path, '/')))->run();
} finally {
    $directory->remove();
}

$git = new Process(['git', '-C', __DIR__, 'describe', '--always', '--dirty']);
$git->run();
$machine = Machine::describe(trim($git->getOutput()), new SystemClock);
$file = dirname(__DIR__).'/results/'.($isQuick ? 'stacks-quick.json' : 'stacks.json');
$compared = array_map(
    static fn (array $way): array => array_intersect_key($way, ['worker_cpu_ratio' => 0, 'sampler_cpu_ratio' => 0]),
    $result['ways'],
);
$all = [
    'experiment' => 'stacks',
    'quick' => $isQuick,
    'machine' => $machine,
    'result' => $compared,
    'figures' => $result,
];
file_put_contents($file, json_encode($all, JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR)."\n");
echo "\nRESULT ", json_encode(['stacks' => $result], JSON_THROW_ON_ERROR), "\n";
