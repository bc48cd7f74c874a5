<?php

declare(strict_types=1);

/*
 * How many instructions one event adds to a request: php benchmarks/write-buffer/instructions.php
 * How many more it has than a bare XADD, where the bucket is in Redis:
 *   bin/services run redis -- php benchmarks/write-buffer/instructions.php redis
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

$variables = array_filter(['REDIS_HOST' => getenv('HEADROOM_REDIS_HOST'), 'REDIS_PORT' => getenv('HEADROOM_REDIS_PORT')]);

/** @param array<string, int> $requests by endpoint */
$count = static function (array $requests) use ($directory, $variables): int {
    $rig = new Rig($variables);
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

[$without, $with] = ($argv[1] ?? '') === 'redis' ? ['xadd', 'buffered-redis'] : ['none', 'buffered'];
$base = $count([$without => REQUESTS, $with => REQUESTS]);
$less = intdiv($count([$without => 2 * REQUESTS, $with => REQUESTS]) - $base, REQUESTS);
$more = intdiv($count([$without => REQUESTS, $with => 2 * REQUESTS]) - $base, REQUESTS);
array_map(unlink(...), glob("{$directory}/*") ?: []);
rmdir($directory);

printf("%s instructions in a request to /events/%s, %s more in one to /events/%s\n", number_format($less), $without, number_format($more - $less), $with);
echo 'RESULT ', json_encode([strtr($without, '-', '_').'_instructions' => $less, 'event_instructions' => $more - $less], JSON_THROW_ON_ERROR), "\n";
