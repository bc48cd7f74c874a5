#!/usr/bin/env php
<?php

declare(strict_types=1);

/**
 * The documents a second that one flusher delivers into Elasticsearch or OpenSearch, and whether each event is there
 * once. php benchmarks/collector/drain.php http://127.0.0.1:9201 [EVENTS] [BATCH]
 */

use Headroom\Core\SystemClock;
use Headroom\Sink\Elasticsearch\ElasticsearchSink;
use Headroom\Sink\Sink;
use Headroom\Sink\SinkFactory;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\Services\Backends;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Support\ConfigReader;

require dirname(__DIR__, 2).'/vendor/autoload.php';

if (! isset($argv[1])) {
    fwrite(STDERR, "usage: php benchmarks/collector/drain.php URL [EVENTS] [BATCH]\n");
    exit(2);
}

[$url, $events, $batch] = [rtrim($argv[1], '/'), (int) ($argv[2] ?? 100_000), (int) ($argv[3] ?? 10_000)];
$name = 'headroom-drain-'.bin2hex(random_bytes(4));
$directory = sys_get_temp_dir()."/{$name}";
$ask = static function (string $method, string $path, string $body = '') use ($url): mixed {
    $context = stream_context_create(['http' => [
        'method' => $method,
        'header' => 'Content-Type: application/json',
        'content' => $body,
        'ignore_errors' => true,
    ]]);

    return json_decode((string) file_get_contents($url.$path, false, $context), true);
};
$factory = new class implements SinkFactory
{
    public function make(string $kind, ConfigReader $options): Sink
    {
        return ElasticsearchSink::fromOptions($options, new SystemClock);
    }
};

$ask(
    'PUT',
    "/{$name}",
    json_encode([
        'settings' => ['number_of_shards' => 1, 'number_of_replicas' => 0, 'refresh_interval' => '10s'],
        'mappings' => ['properties' => [
            '@timestamp' => ['type' => 'date'], 'id' => ['type' => 'keyword'], 'source' => ['type' => 'keyword'],
            'type' => ['type' => 'keyword'], 'data' => ['type' => 'object', 'dynamic' => false],
        ]],
    ]),
);
$spool = new SpoolServices(
    static fn (): AppendConfig => AppendConfig::fromArray([
        'path' => $directory,
        'heartbeats' => false,
        'buckets' => ['events' => ['sink' => 'elasticsearch', 'url' => $url, 'index' => $name, 'batch' => $batch]],
    ]),
    new Backends(static fn (): SinkFactory => $factory),
);

for ($i = 0; $i < $events; $i += 100) {
    $spool->buffer()->bucket('events')->addMany(array_map(static fn (int $n): array => [
        'id' => sprintf('%08x-%04x-7000-8000-%012x', crc32((string) $n), $n % 65_536, $n),
        'source' => 'https://shop.example.com/checkout',
        'type' => 'order.placed',
        'time' => gmdate('Y-m-d\TH:i:s', 1_784_000_000 + $n).'.123456Z',
        'data' => [
            'order' => $n,
            'total' => 19.99,
            'currency' => 'EUR',
            'customer' => "c{$n}",
            'items' => [['sku' => "sku-{$n}", 'count' => 2]],
        ],
    ], range($i, min($i + 99, $events - 1))));
}

$cpu = getrusage();
$start = hrtime(true);
$report = $spool->flusher()->flush('events', new FlushOptions);
$seconds = (hrtime(true) - $start) / 1e9;
$used = static fn (array $at): float => $at['ru_utime.tv_sec'] + $at['ru_stime.tv_sec']
    + ($at['ru_utime.tv_usec'] + $at['ru_stime.tv_usec']) / 1e6;
$ask('POST', "/{$name}/_refresh");
$there = $ask('GET', "/{$name}/_count")['count'] ?? -1;
printf(
    "%d of %d delivered in %.2f s: %d documents/s, of which this process worked %.2f s; %d in the index\n",
    $report->delivered,
    $events,
    $seconds,
    $report->delivered / $seconds,
    $used((array) getrusage()) - $used((array) $cpu),
    $there,
);

if ($report->failure !== null) {
    fwrite(STDERR, "{$report->failure->getMessage()}\n");
}

$ask('DELETE', "/{$name}");

foreach (new RecursiveIteratorIterator(
    new RecursiveDirectoryIterator($directory, FilesystemIterator::SKIP_DOTS),
    RecursiveIteratorIterator::CHILD_FIRST,
) as $file) {
    $file->isDir() ? rmdir((string) $file) : unlink((string) $file);
}

rmdir($directory);
exit($report->failure === null && $there === $events ? 0 : 1);
