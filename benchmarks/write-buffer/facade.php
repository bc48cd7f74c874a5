<?php

declare(strict_types=1);

/**
 * The cost of Buffer::buffer() through the facade of a booted application, against encoding the same event and
 * appending it without Laravel. Both keep their slot, as a web request does from its second event on. Prints JSON:
 * nanoseconds.
 */

use Headroom\Laravel\Facades\Buffer;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\FileStore\Segment\SegmentWriter;
use Illuminate\Contracts\Http\Kernel;

const BLOCK = 500;

require dirname(__DIR__, 2).'/workbench/bootstrap/autoload.php';
$app = require dirname(__DIR__, 2).'/workbench/bootstrap/app.php';
$app->make(Kernel::class)->bootstrap();

$event = [
    'user_id' => 7,
    'event' => 'api_call',
    'endpoint' => '/api/v1/things/17/parts',
    'ip' => '203.0.113.9',
    'agent' => str_repeat('m', 120),
    'status' => 200,
    'created_at' => '2026-01-01 00:00:00',
];
$bare = new SegmentWriter(AppendConfig::fromArray(['path' => (string) $_GET['dir']]), 'bench');
$bare->keepSegmentOpen();
$codec = new Codec;

$variants = [
    'bare' => static fn () => $bare->append($codec->encode($event), 1),
    'facade' => static fn () => Buffer::buffer(['payload' => $event], 'bench'),
];

$samples = ['bare' => [], 'facade' => []];

for ($round = 0; $round < (int) $_GET['rounds']; $round++) {
    foreach ($variants as $name => $append) {
        $append();
        $append();

        for ($i = 0; $i < BLOCK; $i++) {
            $start = hrtime(true);
            $append();
            $samples[$name][] = hrtime(true) - $start;
        }
    }
}

header('Content-Type: application/json');
echo json_encode(array_map(static function (array $values): array {
    sort($values);

    return ['p50' => $values[(int) (count($values) * 0.5)], 'p99' => $values[(int) (count($values) * 0.99)]];
}, $samples), JSON_THROW_ON_ERROR);
