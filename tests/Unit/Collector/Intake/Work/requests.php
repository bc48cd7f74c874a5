<?php

// Decides generated requests in a process of its own, and prints a line for each: what it was, how it was answered, and its work.

declare(strict_types=1);

use Headroom\Collector\Intake\IntakeSettings;
use Headroom\Collector\Intake\Limits;
use Headroom\Host\TemporaryDirectory;
use Headroom\Tests\Unit\Collector\Intake\Collecting;
use Headroom\Tests\Unit\Collector\Intake\Work\HostileRequests;
use Headroom\Tests\Unit\Collector\Intake\Work\Meter;

require dirname(__DIR__, 5).'/vendor/autoload.php';

[, $seed, $times] = $argv;
Meter::install();
$limits = new Limits;
$settings = [
    new IntakeSettings(isAuthenticated: false),
    new IntakeSettings(deadBucket: 'dead', isAuthenticated: false, types: ['none']),
];
$home = TemporaryDirectory::create('work');

for ($i = 0; $i < (int) $times; $i++) {
    $requests = new HostileRequests((int) $seed + $i, $limits->batchBytes, $limits->eventBytes, $limits->batchEvents);

    foreach (HostileRequests::FORMATS as $format) {
        [$path, $headers, $body] = $requests->of($format);
        $collecting = new Collecting($home, $settings[$i % 2]);
        Meter::$bytes = 0;
        $decision = $collecting->post($body, $headers, $path);
        echo implode(' ', [$format, (int) $seed + $i, strlen($body), $decision->answer->status, Meter::$bytes]), "\n";
    }
}

$home->remove();
