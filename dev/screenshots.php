<?php

declare(strict_types=1);

/**
 * Takes the screenshots of reports in docs/images: `php dev/screenshots.php`. It needs the browser of the tests
 * (`bin/services install chromium`). The findings of the doctor are examples; the load runs for three seconds against a
 * server on the loopback interface; the benchmark is the committed one.
 */

use Headroom\Console\Doctor\DoctorPage;
use Headroom\Doctor\CheckResult;
use Headroom\Doctor\CheckText;
use Headroom\Doctor\Edit;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Report;
use Headroom\Doctor\Severity;
use Headroom\Process\TemporaryDirectory;
use Headroom\Report\ReportPage;
use Headroom\Tests\Acceptance\Charts\Browser;
use Headroom\Tests\Acceptance\Load\HttpServer;

$root = dirname(__DIR__);
require "{$root}/vendor/autoload.php";

$check = static fn (string $id, string $title, Severity $severity): CheckText
    => new CheckText($id, $title, $severity, Layer::Nginx, 'Why.', ['https://nginx.org/en/docs/']);
$doctor = new DoctorPage(new Report([
    new CheckResult(
        $check('F1', 'The pool has fewer processes than requests at once', Severity::Critical),
        Finding::fail(
            'All 5 processes of pm.max_children are busy, and 37 connections wait in the queue.',
            [
                new Evidence('pm.max_children', '5', '/etc/php/8.2/fpm/pool.d/www.conf:41'),
                new Evidence('max children reached', '212', 'status page of the pool'),
                new Evidence('listen queue', '37', 'ss -ltn'),
            ],
            'Requests wait for a free process before PHP sees them.',
            new Fix(
                'Allow as many processes as fit into memory.',
                [Edit::replace('/etc/php/8.2/fpm/pool.d/www.conf', 41, 'pm.max_children = 5', 'pm.max_children = 24')],
                ['php-fpm8.2 -t && systemctl reload php8.2-fpm'],
                'Restore the lines above, then run the same commands.',
            ),
        )->about('pool www'),
    ),
    new CheckResult(
        $check('N5', 'nginx opens a connection to PHP-FPM for each request', Severity::Medium),
        Finding::warn(
            'The upstream php has no keepalive.',
            [new Evidence('keepalive', 'not set', '/etc/nginx/sites-enabled/shop.example.com.conf:12')],
            'Each request pays for a new connection.',
            new Fix(
                'Keep idle connections to the upstream.',
                [Edit::insert('/etc/nginx/sites-enabled/shop.example.com.conf', 14, '    keepalive 16;')],
                ['nginx -t && systemctl reload nginx'],
                'Restore the lines above, then run the same commands.',
            ),
        )->about('upstream php'),
    ),
    new CheckResult($check('K1', 'The accept queue is short', Severity::High), Finding::pass('somaxconn is 4096.')),
]), '2026-01-31 14:00 UTC');

$benchmark = (string) file_get_contents("{$root}/benchmarks/results/queues.html");
$pattern = '~<title>(.*?)</title>.*<script type="application/json" id="page_data">(.*?)</script>~s';

if (preg_match($pattern, $benchmark, $found) !== 1) {
    exit("benchmarks/results/queues.html has no data of a page.\n");
}

/** @var array<string, mixed> $data */
$data = json_decode($found[2], true, flags: JSON_THROW_ON_ERROR);

$directory = TemporaryDirectory::create('screenshots');
$server = HttpServer::start();

try {
    $url = $server->url('/slow/40');
    $load = [PHP_BINARY, "{$root}/bin/headroom", 'load', $url, '--duration=3', '--concurrency=8'];
    $load[] = '--output='.$directory->file('report-load.html');
    passthru(implode(' ', array_map(escapeshellarg(...), $load)));
    file_put_contents($directory->file('report-doctor.html'), $doctor->html());
    file_put_contents(
        $directory->file('report-benchmark.html'),
        ReportPage::html(html_entity_decode($found[1], ENT_QUOTES | ENT_HTML5), $data),
    );

    foreach (['report-doctor', 'report-load', 'report-benchmark'] as $name) {
        $pictures = [];

        foreach (['light' => false, 'dark' => true] as $theme => $isDark) {
            array_push($pictures, ['dark' => $isDark], [
                'picture' => "{$root}/docs/images/{$name}-{$theme}.png",
                'height' => 860,
            ]);
        }

        Browser::look("file://{$directory->file("{$name}.html")}", [['await' => 'section'], ...$pictures], 1_024);
    }
} finally {
    $server->stop();
    $directory->remove();
}
