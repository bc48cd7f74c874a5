<?php

declare(strict_types=1);

/*
 * How many instructions one event adds to a request: php benchmarks/write-buffer/instructions.php
 *
 * A count does not drift with the machine, as times do. PHP-FPM runs under callgrind (package valgrind), one worker; what
 * the worker executed in two runs that differ by N requests to one endpoint is divided by N. The kernel's part is not seen.
 */

use Headroom\Host\Programs;
use Headroom\Host\WebStack;
use Headroom\Load\Generator;
use Headroom\Load\Plan;
use Workbench\Rig\PageViews;
use Workbench\Rig\Rig;

require dirname(__DIR__, 2).'/vendor/autoload.php';

const REQUESTS = 60;

$fpm = Programs::fpm();
$valgrind = Programs::optional('valgrind') ?? throw new RuntimeException('valgrind is not installed. Run as root on Debian: apt-get install valgrind');
$directory = sys_get_temp_dir().'/headroom-callgrind-'.bin2hex(random_bytes(6));
mkdir($directory);
chmod($directory, 01777); // the worker, another user, writes its counts there
file_put_contents("{$directory}/fpm", "#!/bin/sh\nexec {$valgrind} -q --tool=callgrind --callgrind-out-file={$directory}/%p {$fpm} \"\$@\"\n");
chmod("{$directory}/fpm", 0755);
putenv("HEADROOM_PHP_FPM={$directory}/fpm");

/** @param array<string, int> $requests by endpoint */
$count = static function (array $requests) use ($directory): int {
    $rig = new Rig;
    $rig->prepare();
    $stack = $rig->serve(1);
    $worker = $stack instanceof WebStack ? $stack->workerPids()[0] : throw new RuntimeException('nginx is needed, too: bin/services install nginx fpm');
    try {
        // Opcache takes no file that is younger than two seconds.
        sleep(3);

        foreach ($requests as $endpoint => $n) {
            $events = new PageViews("{$stack->url()}/events/{$endpoint}", "{$endpoint}-");
            (new Generator)->run(Plan::samples($n, 1, timeout: 30.0), $events, $events);
        }
    } finally {
        $stack->stop();
        $rig->remove();
    }

    return preg_match('/^(?:totals|summary): (\d+)/m', (string) file_get_contents("{$directory}/{$worker}"), $m) === 1 ? (int) $m[1] : throw new RuntimeException('callgrind wrote no total.');
};

$base = $count(['none' => REQUESTS, 'buffered' => REQUESTS]);
$none = intdiv($count(['none' => 2 * REQUESTS, 'buffered' => REQUESTS]) - $base, REQUESTS);
$buffered = intdiv($count(['none' => REQUESTS, 'buffered' => 2 * REQUESTS]) - $base, REQUESTS);
array_map(unlink(...), glob("{$directory}/*") ?: []);
rmdir($directory);

printf("%s instructions in a request without an event, %s more with one\n", number_format($none), number_format($buffered - $none));
echo 'RESULT ', json_encode(['none_instructions' => $none, 'event_instructions' => $buffered - $none], JSON_THROW_ON_ERROR), "\n";
