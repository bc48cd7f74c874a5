<?php

declare(strict_types=1);

/*
 * The cost of sampling PHP stacks, and the samples: php benchmarks/stacks/run.php
 */

use Headroom\Benchmarks\Run;
use Headroom\Benchmarks\Stacks\Access;
use Headroom\Benchmarks\Stacks\Callgrind;
use Headroom\Benchmarks\Stacks\Excimer;
use Headroom\Benchmarks\Stacks\KnownPage;
use Headroom\Benchmarks\Stacks\Overhead;
use Headroom\Benchmarks\Stacks\Pool;
use Headroom\Benchmarks\Stacks\SlowLog;
use Headroom\Process\TemporaryDirectory;

require dirname(__DIR__, 2).'/vendor/autoload.php';

$run = Run::of('stacks');
$isQuick = $run->isQuick;
$phpspy = getenv('PHPSPY');
$directory = TemporaryDirectory::create('stacks');
$path = $directory->file('');
chmod($path, 0o755);
$page = "{$path}page.php";
file_put_contents($page, KnownPage::code());

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

$compared = array_map(
    static fn (array $way): array => array_intersect_key($way, ['worker_cpu_ratio' => 0, 'sampler_cpu_ratio' => 0]),
    $result['ways'],
);
$run->save(['figures' => $result], $compared);
