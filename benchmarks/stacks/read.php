<?php

declare(strict_types=1);

/*
 * Samples the PHP stack of a running process from outside until SIGINT: php read.php PID HZ vm|file
 */

use Headroom\Benchmarks\Stacks\MemoryFile;
use Headroom\Benchmarks\Stacks\Stacks;
use Headroom\Benchmarks\Stacks\Symbol;
use Headroom\Benchmarks\Stacks\Tally;
use Headroom\Benchmarks\Stacks\UnableToRead;
use Headroom\Benchmarks\Stacks\VmReadv;

require dirname(__DIR__, 2).'/vendor/autoload.php';

[, $pid, $hertz, $how] = $argv;
$isOver = false;
pcntl_async_signals(true);
pcntl_signal(SIGINT, static function () use (&$isOver): void {
    $isOver = true;
});

try {
    $globals = Symbol::address((int) $pid, 'executor_globals');
    $memory = $how === 'vm' ? new VmReadv((int) $pid) : new MemoryFile((int) $pid);
    $memory->read($globals, 8);
} catch (UnableToRead $e) {
    fwrite(STDERR, "{$e->getMessage()}\n");
    exit(1);
}

$stacks = new Stacks($memory, $globals);
$tally = new Tally;
$next = hrtime(true);

while (! $isOver) {
    try {
        $tally->add($stacks->now());
    } catch (UnableToRead) {
        $tally->kinds['unreadable']++;
    }

    $next += intdiv(1_000_000_000, (int) $hertz);
    usleep(max(0, intdiv($next - hrtime(true), 1_000)));
}

echo json_encode($tally, JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR), "\n";
