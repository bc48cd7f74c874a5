<?php

// Decides generated requests in a process of its own, and prints a line for each: what it was, how it was answered,
// and its work.

declare(strict_types=1);

use Headroom\Collector\Ingest\IngestLimits;
use Headroom\Collector\Ingest\IngestSettings;
use Headroom\Collector\Request;
use Headroom\Collector\Sapi\SapiIngest;
use Headroom\Collector\Server\Metrics\SapiCounters;
use Headroom\Core\SystemClock;
use Headroom\Process\TemporaryDirectory;
use Headroom\Spool\Buffer;
use Headroom\Tests\Unit\Collector\Ingest\PipelineHarness;
use Headroom\Tests\Unit\Collector\Ingest\Work\HostileRequests;
use Headroom\Tests\Unit\Collector\Ingest\Work\Meter;

require dirname(__DIR__, 5).'/vendor/autoload.php';

[, $seed, $times] = $argv;
Meter::install();
$limits = new IngestLimits;
$settings = [
    new IngestSettings(isAuthenticated: false),
    new IngestSettings(deadBucket: 'dead', isAuthenticated: false, types: ['none']),
];
$home = TemporaryDirectory::create('work');
$buffer = Buffer::fromArray(['path' => $home->file('spool')]);
$counters = new SapiCounters($home->file('counters'));
$say = static function (string $what): void {
    fwrite(STDERR, $what);
};

for ($i = 0; $i < (int) $times; $i++) {
    $requests = new HostileRequests((int) $seed + $i, $limits->batchBytes, $limits->eventBytes, $limits->batchEvents);

    foreach (HostileRequests::FORMATS as $format) {
        [$path, $headers, $body] = $requests->of($format);
        $harness = new PipelineHarness($home, $settings[$i % 2]);
        Meter::$bytes = 0;
        $request = new Request('POST', $path, '', $headers, $body, '127.0.0.1');
        $response = $i % 2 === 0
            ? $harness->pipeline->ingest($request, PipelineHarness::NOW)->response
            : (new SapiIngest($harness->pipeline, $buffer, new SystemClock, $say, $counters))->handle($request)[0];
        echo implode(' ', [$format, (int) $seed + $i, strlen($body), $response->status, Meter::$bytes]), "\n";
    }
}

$home->remove();
