<?php

declare(strict_types=1);

/**
 * Takes the screenshots of docs/images: `bin/services run opensearch -- php dev/screenshots.php`. It needs the browser
 * of the tests (`bin/services install chromium`), and takes the page of charts only with OpenSearch and the access log
 * of the fixtures (`HEADROOM_FIXTURES`). The findings of the doctor are examples; the load runs for three seconds
 * against a server on the loopback interface; the benchmark is the committed one.
 */

use Headroom\Console\Doctor\DoctorPage;
use Headroom\Console\Doctor\DoctorReport;
use Headroom\Console\TerminalStyles;
use Headroom\Dev\BuiltInServer;
use Headroom\Doctor\CheckResult;
use Headroom\Doctor\CheckText;
use Headroom\Doctor\Edit;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Report;
use Headroom\Host\WebConfig;
use Headroom\Process\TemporaryDirectory;
use Headroom\Report\ReportPage;
use Headroom\Tests\Acceptance\AccessLog\AccessLog;
use Headroom\Tests\Acceptance\Charts\Browser;
use Headroom\Tests\Acceptance\Charts\SiteEvents;
use Headroom\Tests\Acceptance\Load\HttpServer;
use Headroom\Tests\Support\OpenSearch\EventStreams;
use Symfony\Component\Console\Output\BufferedOutput;
use Symfony\Component\Process\Process;

$root = dirname(__DIR__);
require "{$root}/vendor/autoload.php";

$check = static fn (string $id): CheckText => CheckText::fromFile("{$root}/resources/checks/{$id}.md");
$site = '/etc/nginx/conf.d/shop.conf';
$reload = 'nginx -t && systemctl reload nginx';
$report = new Report([
    new CheckResult($check('N5'), Finding::fail(
        'nginx may keep 4 x 8 = 32 connections to a pool of 24 processes, and each holds a process.',
        [
            new Evidence('keepalive of upstream php', '8', "{$site}:3"),
            new Evidence('worker_processes', '4', '/etc/nginx/nginx.conf:2'),
            new Evidence('pm.max_children', '24', '/etc/php/8.4/fpm/pool.d/www.conf:41'),
        ],
        new Fix(
            'Do not keep connections to PHP-FPM.',
            [Edit::remove($site, 3, '    keepalive 8;')],
            [$reload],
            'Restore the lines above, then run the same commands.',
        ),
        'Requests wait for a free process although all of them are idle, then fail with 502 or 504.',
    )->about('pool www')),
    new CheckResult($check('N10'), Finding::warn(
        'nginx waits 60 seconds for a connection to 10.0.0.7:9000.',
        [
            new Evidence('fastcgi_connect_timeout', '60s', 'default of nginx 1.26.3'),
            new Evidence('fastcgi_pass', '10.0.0.7:9000', "{$site}:14"),
        ],
        new Fix(
            'Give up after 3 seconds.',
            [Edit::insert($site, 14, '        fastcgi_connect_timeout 3s;')],
            [$reload],
            'Restore the lines above, then run the same commands.',
        ),
        'When the pool is full, requests hang for that time, and then fail.',
    )->about('server shop.example.com')),
    new CheckResult($check('N3'), Finding::pass('nginx has 4 workers, and 4 CPUs')),
]);
$doctor = new DoctorPage($report, '2026-01-31 14:00 UTC');

$benchmark = (string) file_get_contents("{$root}/benchmarks/results/queues.html");
$pattern = '~<title>(.*?)</title>.*<script type="application/json" id="page_data">(.*?)</script>~s';

if (preg_match($pattern, $benchmark, $found) !== 1) {
    exit("benchmarks/results/queues.html has no data of a page.\n");
}

/** @var array<string, mixed> $data */
$data = json_decode($found[2], true, flags: JSON_THROW_ON_ERROR);

/** Renders the output of a command, with its colours, as a dark terminal. */
$terminal = static function (string $command, string $text): string {
    $colours = [
        31 => '#f47067', 32 => '#57ab5a', 33 => '#d9a93e', 34 => '#6cb6ff', 36 => '#39c5cf', 91 => '#ff938a',
    ];
    $html = preg_replace_callback(
        '/\e\[([\d;]+)m/',
        static function (array $found) use ($colours): string {
            $codes = array_map(intval(...), explode(';', $found[1]));

            // Symfony ends a style with 39 for the colour and 22 for bold.
            if (
                array_intersect($codes, [22, 39]) !== []
                && array_intersect($codes, [1, ...array_keys($colours)]) === []
            ) {
                return '</span>';
            }

            $colour = $colours[array_values(array_intersect($codes, array_keys($colours)))[0] ?? 0] ?? 'inherit';

            return "<span style=\"color:{$colour};font-weight:".(in_array(1, $codes, true) ? 700 : 400).'">';
        },
        htmlspecialchars("$ {$command}\n{$text}", ENT_NOQUOTES),
    );

    return '<!doctype html><meta charset="utf-8"><title>Terminal</title><body style="margin:0;background:#1c2128">'
        .'<pre style="margin:0;padding:20px;color:#cdd9e5;font:14px/20px \'DejaVu Sans Mono\',monospace">'
        ."{$html}</pre>";
};

$directory = TemporaryDirectory::create('screenshots');
$server = HttpServer::start();

try {
    $load = static function (int $millis, string ...$files) use ($root, $server, $directory): void {
        $run = new Process([
            PHP_BINARY, "{$root}/bin/headroom", 'load', $server->url("/slow/{$millis}"), '--duration=3',
            '--concurrency=8',
            ...array_map(static fn (string $file): string => '--output='.$directory->file($file), array_values($files)),
        ]);
        $run->mustRun();
    };
    $load(40, 'report-load.html', 'before.json');
    $load(25, 'after.json');
    // `load:compare` compares runs of one address.
    $after = (string) file_get_contents($directory->file('after.json'));
    $directory->write('after.json', str_replace('/slow/25', '/slow/40', $after));
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

    $output = new BufferedOutput(decorated: true);
    $lines = (new DoctorReport($report, false, TerminalStyles::of($output)))->lines();
    $compared = new Process(
        [PHP_BINARY, "{$root}/bin/headroom", 'load:compare', 'before.json', 'after.json', '--ansi'],
        $directory->path,
    );
    $compared->run();
    $texts = [
        'terminal-doctor' => ['headroom doctor', implode("\n", $lines)],
        'terminal-compare' => ['headroom load:compare before.json after.json', $compared->getOutput()],
    ];

    foreach ($texts as $name => [$command, $text]) {
        $file = $directory->write("{$name}.html", $terminal($command, rtrim($text)));
        Browser::look("file://{$file}", [['await' => 'pre'], [
            'picture' => "{$root}/docs/images/{$name}.png",
            'height' => 40 + 20 * (2 + substr_count(rtrim($text), "\n")),
        ]], 760);
    }
} finally {
    $server->stop();
    $directory->remove();
}

if (! AccessLog::isReal()) {
    exit("No access log: docs/images/charts.png stays as it is.\n");
}

$streams = EventStreams::get();
$stream = 'headroom-screenshots';
$storage = TemporaryDirectory::create('charts');
$web = BuiltInServer::start(new WebConfig("{$root}/workbench/public/index.php", workers: 3, user: 'root', env: [
    'HEADROOM_AUTOLOAD' => "{$root}/vendor/autoload.php",
    'WORKBENCH_STORAGE' => $storage->path,
    'APP_ENV' => 'local',
    'APP_KEY' => 'base64:'.base64_encode(random_bytes(32)),
    'DB_CONNECTION' => 'sqlite',
    'HEADROOM_CHARTS' => '1',
    'ELASTICSEARCH_URL' => $streams->url,
    'ELASTICSEARCH_INDEX' => $stream,
]));

try {
    $streams->installed($stream);
    $site = SiteEvents::read()->upTo(time());
    $times = array_column($site->events, 'time');
    $streams->fill($stream, $site->documents());
    // The page takes times of the browser's zone.
    $zone = new DateTimeZone('Europe/Amsterdam');
    $local = static fn (int $time): string => (new DateTimeImmutable("@{$time}"))->setTimezone($zone)
        ->format('Y-m-d\TH:i');
    $query = http_build_query(['from' => $local(min([time(), ...$times])), 'to' => $local(max([0, ...$times])), 'refresh' => 0]);
    Browser::look("{$web->url()}/headroom/events?{$query}", [
        ['settle' => true],
        ['picture' => "{$root}/docs/images/charts.png", 'height' => 1_820],
    ], 1_024);
} finally {
    $web->stop();
    $streams->remove($stream);
    $storage->remove();
}
