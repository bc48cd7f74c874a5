<?php

declare(strict_types=1);

/*
 * How many instructions one event adds to a request:
 *   composer dump-autoload --optimize && php benchmarks/write-buffer/instructions.php
 * The same for a locked file_put_contents() by hand: php benchmarks/write-buffer/instructions.php file
 * How many the package adds to a request that buffers nothing: php benchmarks/write-buffer/instructions.php provider
 * How many more it has than a bare XADD, where the bucket is in Redis:
 *   bin/services run redis -- php benchmarks/write-buffer/instructions.php redis
 *
 * A count does not drift with the machine, as times do. PHP-FPM runs under callgrind (package valgrind), one worker;
 * what the worker executed in two runs that differ by N requests to one endpoint is divided by N.
 * The kernel's part is not seen.
 */

use Headroom\Benchmarks\WriteBuffer\ClassMap;
use Headroom\Host\WebStack;
use Headroom\Load\Executor\LoadGenerator;
use Headroom\Load\Plan;
use Headroom\Process\Programs;
use Workbench\Rig\PageViews;
use Workbench\Rig\Rig;

require dirname(__DIR__, 2).'/vendor/autoload.php';

const REQUESTS = 60;

ClassMap::require();

$fpm = Programs::fpm();
$valgrind = Programs::optional('valgrind')
    ?? throw new RuntimeException('valgrind is not installed. Run as root on Debian: apt-get install valgrind');
$directory = sys_get_temp_dir().'/headroom-callgrind-'.bin2hex(random_bytes(6));
mkdir($directory);
chmod($directory, 01777); // the worker, another user, writes its counts there
file_put_contents(
    "{$directory}/fpm",
    "#!/bin/sh\nexec {$valgrind} -q --tool=callgrind --callgrind-out-file={$directory}/%p {$fpm} \"\$@\"\n",
);
chmod("{$directory}/fpm", 0755);
putenv("HEADROOM_PHP_FPM={$directory}/fpm");

$variables = array_filter([
    'REDIS_HOST' => getenv('HEADROOM_REDIS_HOST'),
    'REDIS_PORT' => getenv('HEADROOM_REDIS_PORT'),
]);

/** @param array<string, int> $requests by endpoint */
$count = static function (array $requests, array $more = []) use ($directory, $variables): int {
    $rig = new Rig([...$variables, ...$more]);
    $rig->prepare();
    $stack = $rig->serve(1);
    $worker = $stack instanceof WebStack
        ? $stack->workerPids()[0]
        : throw new RuntimeException('nginx is needed, too: bin/services install nginx fpm');
    try {
        // opcache caches no file that is younger than two seconds.
        sleep(3);

        foreach ($requests as $endpoint => $n) {
            $events = new PageViews("{$stack->url()}/events/{$endpoint}", "{$endpoint}-");
            (new LoadGenerator)->run(Plan::requests($n, 1, timeout: 30.0), $events, $events);
        }
    } finally {
        $stack->stop();
        $rig->remove();
    }

    return preg_match('/^(?:totals|summary): (\d+)/m', (string) file_get_contents("{$directory}/{$worker}"), $m) === 1
        ? (int) $m[1]
        : throw new RuntimeException('callgrind wrote no total.');
};

$clean = static function () use ($directory): void {
    array_map(unlink(...), glob("{$directory}/*") ?: []);
    rmdir($directory);
};

if (($argv[1] ?? '') === 'provider') {
    [$without, $with] = array_map(
        static fn (array $more): int
            => intdiv($count(['none' => 2 * REQUESTS], $more) - $count(['none' => REQUESTS], $more), REQUESTS),
        [['WORKBENCH_PACKAGE' => 'off'], []],
    );
    $clean();
    printf(
        "%s instructions in a request to /events/none without the package, %s more with it\n",
        number_format($without),
        number_format($with - $without),
    );
    echo 'RESULT ', json_encode(
        ['without_package_instructions' => $without, 'provider_instructions' => $with - $without],
        JSON_THROW_ON_ERROR,
    ), "\n";
    exit;
}

[$without, $with] = match ($argv[1] ?? '') {
    'redis' => ['xadd', 'buffered-redis'],
    'file' => ['none', 'file'],
    default => ['none', 'buffered'],
};
$base = $count([$without => REQUESTS, $with => REQUESTS]);
$less = intdiv($count([$without => 2 * REQUESTS, $with => REQUESTS]) - $base, REQUESTS);
$more = intdiv($count([$without => REQUESTS, $with => 2 * REQUESTS]) - $base, REQUESTS);
$clean();

printf(
    "%s instructions in a request to /events/%s, %s more in one to /events/%s\n",
    number_format($less),
    $without,
    number_format($more - $less),
    $with,
);
echo 'RESULT ', json_encode(
    [strtr($without, '-', '_').'_instructions' => $less, 'event_instructions' => $more - $less],
    JSON_THROW_ON_ERROR,
), "\n";
