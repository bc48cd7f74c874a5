<?php

declare(strict_types=1);

/*
 * The process whose instructions are counted: counted.php SIDE EVENTS, with WORKBENCH_STORAGE set.
 *
 * It appends through the facade of the booted workbench application. Where Laravel runs in the console, every append
 * opens and closes its slot, as the only event of a request does; elsewhere (APP_RUNNING_IN_CONSOLE=false) the slot
 * stays open from the second event on. Nothing here names an internal class, so that one script counts the code before
 * and after a refactoring.
 */

use Headroom\Laravel\Facades\Buffer;
use Illuminate\Contracts\Http\Kernel;

require dirname(__DIR__, 2).'/workbench/bootstrap/autoload.php';
$app = require dirname(__DIR__, 2).'/workbench/bootstrap/app.php';
$app->make(Kernel::class)->bootstrap();

[, $side, $events] = [...$argv, '', ''];
$count = (int) $events;
$buffer = "{$app->storagePath()}/app/private/buffer/buckets/page-views/active";
$slot = sprintf('%s/u%d-0000.log', $buffer, posix_geteuid());
$event = static fn (int $n): array => [
    'seq' => sprintf('count-%09d', $n),
    'ip' => '203.0.113.9',
    'time' => '2026-01-01 00:00:00',
    'method' => 'GET',
    'path' => "/shop/things/{$n}/parts",
    'status' => 200,
    'bytes' => 1000 + $n % 9000,
    'referer' => 'https://www.example.com/shop/list?page=7',
    'agent' => 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0',
    'created_at' => new DateTimeImmutable('2026-01-01 00:00:00 UTC'),
];

// A slot is kept for a second at most. Code that PHP compiles after the second belongs to no event.
for ($round = 0; $round < 2; $round++) { // four events
    Buffer::bucket('page-views')->add($event(0));
    Buffer::bucket('page-views')->add($event(0));
    usleep(1_100_000);
}

// Each side makes its events; `none` does nothing else and is subtracted.
match ($side) {
    'none' => (static function () use ($count, $event): void {
        for ($n = 0; $n < $count; $n++) {
            $event($n);
        }
    })(),
    'one' => (static function () use ($count, $event): void {
        for ($n = 0; $n < $count; $n++) {
            Buffer::bucket('page-views')->add($event($n));
        }
    })(),
    'many' => (static function () use ($count, $event): void {
        for ($n = 0; $n < $count; $n += 500) {
            Buffer::bucket('page-views')->addMany(array_map($event, range($n, $n + 499)));
        }
    })(),
    'new' => (static function () use ($count, $event, $slot): void {
        for ($n = 0; $n < $count; $n++) {
            Buffer::bucket('page-views')->add($event($n));
            unlink($slot) ? null : throw new RuntimeException("The append made no {$slot}.");
        }
    })(),
    'unlink' => (static function () use ($app, $count, $event): void {
        for ($n = 0; $n < $count; $n++) {
            $event($n);
            unlink("{$app->storagePath()}/unlinked/{$n}")
                ? null
                : throw new RuntimeException("There was no file {$n}.");
        }
    })(),
    default => throw new RuntimeException("There is no side {$side}. Sides are none, one, many, new and unlink."),
};
