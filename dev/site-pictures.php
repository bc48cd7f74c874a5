<?php

declare(strict_types=1);

/**
 * Takes pictures of the site that `make docs` has built, on a phone and on a desk, light and dark, into
 * build/site-pictures: `php dev/site-pictures.php`, or with addresses such as /doctor /checks/N5. It needs the browser
 * of the tests (`bin/services install chromium`).
 */

use Headroom\Tests\Acceptance\Charts\Browser;
use Headroom\Tests\Acceptance\Site\BuiltSite;

$root = dirname(__DIR__);
require "{$root}/vendor/autoload.php";

$pages = $argc > 1
    ? array_slice($argv, 1)
    : ['/', '/quickstart', '/configuration', '/failure-model', '/doctor', '/checks/N5'];
$directory = "{$root}/build/site-pictures";

if (! is_file("{$root}/build/site/index.html")) {
    exit("There is no site in build/site. Run: make docs\n");
}

if (! is_dir($directory)) {
    mkdir($directory, recursive: true);
}

$server = BuiltSite::serve();

try {
    foreach (['phone' => 375, 'desk' => 1280] as $screen => $width) {
        $steps = [];

        foreach ($pages as $page) {
            $name = trim(str_replace('/', '-', $page), '-');
            $file = "{$directory}/".($name === '' ? 'home' : $name)."-{$screen}";
            array_push(
                $steps,
                ['goto' => $page],
                ['picture' => "{$file}.png", 'height' => 1_400],
                ['dark' => true],
                ['picture' => "{$file}-dark.png", 'height' => 1_400],
                ['dark' => false],
            );
        }

        Browser::look($server->url(), $steps, $width);
    }
} finally {
    $server->stop();
}
