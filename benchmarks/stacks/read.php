<?php

declare(strict_types=1);

/*
 * Samples the PHP stack of a running process from outside until its standard input ends: php read.php PID HZ vm|file DEPTH
 */

use Headroom\Benchmarks\Stacks\Known;
use Headroom\Benchmarks\Stacks\MemoryFile;
use Headroom\Benchmarks\Stacks\Stacks;
use Headroom\Benchmarks\Stacks\Symbol;
use Headroom\Benchmarks\Stacks\UnableToRead;
use Headroom\Benchmarks\Stacks\VmReadv;

require dirname(__DIR__, 2).'/vendor/autoload.php';

[, $pid, $hertz, $how, $depth] = $argv;
$counts = ['idle' => 0, 'true' => 0, 'impossible' => 0, 'unreadable' => 0];
$parts = $tops = $impossible = [];
$cpu = static fn (): float => (static fn (array $used): float => $used['ru_utime.tv_sec'] + $used['ru_stime.tv_sec'] + 1e-6 * ($used['ru_utime.tv_usec'] + $used['ru_stime.tv_usec']))((array) getrusage());

try {
    $globals = Symbol::address((int) $pid, 'executor_globals');
    $memory = $how === 'vm' ? new VmReadv((int) $pid) : new MemoryFile((int) $pid);
    $memory->read($globals, 8);
} catch (UnableToRead $e) {
    fwrite(STDERR, "{$e->getMessage()}\n");
    exit(1);
}

$stacks = new Stacks($memory, $globals);
stream_set_blocking(STDIN, false);
$from = $cpu();
$next = hrtime(true);
echo "ready\n";

while (! feof(STDIN)) {
    fread(STDIN, 1);

    try {
        $frames = $stacks->now();
        $kind = $frames === [] ? 'idle' : (Known::canBe($frames, (int) $depth) ? 'true' : 'impossible');
        $part = Known::part($frames);

        if ($kind === 'true' && $part !== null) {
            $parts[$part] = ($parts[$part] ?? 0) + 1;
            $top = (string) end($frames);
            $tops[$top] = ($tops[$top] ?? 0) + 1;
        }

        if ($kind === 'impossible') {
            $impossible[implode(';', $frames)] = true;
        }
    } catch (UnableToRead) {
        $kind = 'unreadable';
    }

    $counts[$kind]++;
    $next += intdiv(1_000_000_000, (int) $hertz);
    usleep(max(0, intdiv($next - hrtime(true), 1_000)));
}

echo json_encode(['cpu' => $cpu() - $from, 'counts' => $counts, 'parts' => $parts, 'tops' => $tops, 'impossible' => array_slice(array_keys($impossible), 0, 5)], JSON_INVALID_UTF8_SUBSTITUTE), "\n";
