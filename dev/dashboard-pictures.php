<?php

declare(strict_types=1);

/**
 * Takes pictures of the dashboard into build/dashboard-pictures, on a phone and on a desk, light and dark, and those of
 * the documentation into docs/images: `php dev/dashboard-pictures.php`, or with the minutes of traffic (6). The
 * application is that of `make demo`. It needs the browser of the tests (`bin/services install chromium`).
 */

use Headroom\Laravel\Facades\Buffer;
use Headroom\Load\Executor\LoadGenerator;
use Headroom\Load\Plan;
use Headroom\Load\Stages;
use Headroom\Tests\Acceptance\Charts\Browser;
use Headroom\Tests\Acceptance\Dashboard\DashboardBrowser;
use Illuminate\Contracts\Console\Kernel;
use Illuminate\Foundation\Application;
use Workbench\Rig\PageViews;
use Workbench\Rig\Rig;

$root = dirname(__DIR__);
require "{$root}/vendor/autoload.php";

const IN_THE_DOCS = [
    'now-desk-light', 'now-desk-dark', 'now-phone-light', 'bucket-desk-light', 'dead-desk-light',
];

Browser::needed();
$variables = ['APP_ENV' => 'local', 'APP_NAME' => 'Shop', 'SESSION_DRIVER' => 'file'];
$rig = new Rig($variables);
$rig->prepare();
$server = $rig->serve(4);
$worker = $rig->worker(500);

/** Buffers events as a request would. */
$buffer = static function (string $bucket, array ...$rows) use ($rig, $variables, $root): void {
    foreach ([...$variables, 'WORKBENCH_STORAGE' => $rig->storage(), 'DB_CONNECTION' => 'sqlite'] as $name => $value) {
        putenv("{$name}={$value}");
        $_ENV[$name] = $_SERVER[$name] = $value;
    }

    // The files of the buffer belong to the user that serves.
    $user = posix_getuid() === 0 ? posix_getpwnam(Rig::user()) : false;
    $user === false || (posix_setegid($user['gid']) && posix_seteuid($user['uid']));
    $app = require "{$root}/workbench/bootstrap/app.php";
    assert($app instanceof Application);
    $app->make(Kernel::class)->bootstrap();
    Buffer::bucket($bucket)->addMany($rows);
    $user === false || (posix_seteuid(0) && posix_setegid(0));
};

try {
    $minutes = max(1, (int) ($argv[1] ?? 6));

    for ($i = 0; $i < 2 * $minutes; $i++) {
        $rate = 20 + 15 * (1 + sin($i / 2)) + random_int(0, 10);
        $posts = new PageViews("{$server->url()}/events/buffered", "picture-{$i}-");
        (new LoadGenerator)->run(Plan::arrivalRate(Stages::constant($rate, 30.0)), $posts, $posts);
        echo "{$i} of ".(2 * $minutes).' half minutes: '.count($posts->acknowledged)." events\n";
    }

    $buffer('page_visits', ...array_map(static fn (int $i): array => [
        'visitor' => "v-{$i}", 'path' => '/checkout', 'token' => "t-{$i}", 'campaign' => 'spring',
    ], range(1, 12)));
    $buffer('crm', ...array_map(static fn (int $i): array => ['id' => $i, 'name' => "Customer {$i}"], range(1, 30)));
    sleep(8);
    $rig->artisan('spool:flush', 'page_visits', '--now', '--bury');
    $directory = "{$root}/build/dashboard-pictures";
    is_dir($directory) || mkdir($directory, recursive: true);
    $views = [
        'now' => '#/', 'bucket' => '#/buckets/page-views', 'dead' => '#/dead/page_visits', 'events' => '#/events/crm',
        'machine' => '#/machine',
    ];

    foreach (['phone' => 390, 'desk' => 1280] as $screen => $width) {
        foreach (['light' => false, 'dark' => true] as $theme => $dark) {
            $steps = [];

            foreach ($views as $name => $fragment) {
                $picture = ['picture' => "{$directory}/{$name}-{$screen}-{$theme}.png"];
                array_push($steps, ['goto' => $fragment], ['pause' => 3], $picture);
            }

            $seen = DashboardBrowser::look($steps, width: $width, dark: $dark, url: "{$server->url()}/headroom");
            echo "{$screen}, {$theme}: ".($seen['errors'] === [] ? 'no error' : implode("\n", $seen['errors']))."\n";
        }
    }

    foreach (IN_THE_DOCS as $name) {
        copy("{$directory}/{$name}.png", "{$root}/docs/images/dashboard-{$name}.png");
    }
} finally {
    $worker->signal(15);
    $worker->wait();
    $server->stop();
    $rig->remove();
}
