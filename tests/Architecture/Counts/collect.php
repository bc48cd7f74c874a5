<?php

declare(strict_types=1);

use Headroom\Collector\Ingest\Authentication\ApiKey;
use Headroom\Collector\Ingest\Authentication\ApiKeyStore;
use Headroom\Collector\Ingest\IngestPipeline;
use Headroom\Collector\Ingest\IngestSettings;
use Headroom\Collector\ListenAddress;
use Headroom\Collector\RequestLimits;
use Headroom\Collector\Server\ConnectionManager;
use Headroom\Collector\Server\FileDescriptorBudget;
use Headroom\Collector\Server\GroupCommit;
use Headroom\Collector\Server\HealthEndpoints;
use Headroom\Collector\Server\Listener;
use Headroom\Collector\Server\Metrics\MetricsRegistry;
use Headroom\Collector\Server\ReadinessCheck;
use Headroom\Collector\Server\RequestDispatcher;
use Headroom\Collector\Server\StateDirectory;
use Headroom\Collector\Timeouts;
use Headroom\Core\SystemClock;
use Headroom\Spool\Buffer;
use Headroom\Tests\Architecture\Counts\Recorder;
use React\EventLoop\StreamSelectLoop;

// Sends two events over one connection to a collector's worker in this process, and records the second one: read,
// parse, authenticate, encode, append, 202. The buffer lies below the current directory.
$root = getcwd().'/storage/collect-walk';
$log = static function (string $message): void {
    throw new RuntimeException($message);
};
$clock = new SystemClock;
$loop = new StreamSelectLoop;
$metrics = new MetricsRegistry;
$buffer = Buffer::fromArray(['path' => $root, 'buckets' => ['events' => ['sink' => 'database']]]);
$pipeline = IngestPipeline::below($root, new IngestSettings, $clock);
[, $token] = ApiKeyStore::below($root, $clock)->create(new ApiKey('', 'shop'));
$commit = new GroupCommit($buffer, $pipeline, $loop, $clock, $metrics, $log);
$health = new HealthEndpoints(
    new ReadinessCheck(new StateDirectory($root, 0o700, 0o600), $clock, 'events', 0, null),
    null,
);
$listener = Listener::bind(ListenAddress::of('127.0.0.1:0', 'collector.listen'));
$connections = new ConnectionManager(
    $loop,
    $clock,
    ['main' => $listener],
    ['main' => new RequestDispatcher($health, [], $pipeline, $commit, $clock, $metrics, $log)],
    new RequestLimits,
    new Timeouts,
    new FileDescriptorBudget(100),
    $metrics,
    $log,
);
$connections->open();
$address = (string) stream_socket_get_name($listener->stream, false);
$body = '{"type":"order.placed","data":{"id":1}}';
$request = "POST /v1/events HTTP/1.1\r\nHost: {$address}\r\nAuthorization: Bearer {$token}\r\n"
    ."Content-Type: application/json\r\nContent-Length: ".strlen($body)."\r\n\r\n{$body}";

$client = stream_socket_client("tcp://{$address}");

if ($client === false) {
    throw new RuntimeException("No connection to {$address}.");
}

foreach ([1, 2] as $number) {
    Recorder::begin();
    fwrite($client, $request);
    $loop->addReadStream($client, $loop->stop(...));
    $loop->run();
    $loop->removeReadStream($client);
    $response = (string) fread($client, 8_192);

    if (! str_starts_with($response, 'HTTP/1.1 202 ')) {
        throw new RuntimeException("Event {$number} got: {$response}");
    }
}
