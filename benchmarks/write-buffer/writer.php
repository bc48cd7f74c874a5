<?php

declare(strict_types=1);

/**
 * One of eight writers: `writer.php ours|naive DIR WRITER EVENTS`. Waits for the file DIR/go, appends, and prints its
 * start and end in nanoseconds of the machine's monotonic clock. Each append that returned counts as acknowledged.
 */

use Headroom\Spool\AppendConfig;
use Headroom\Spool\FileStore\Segment\SegmentWriter;

require dirname(__DIR__, 2).'/vendor/autoload.php';

[, $kind, $dir, $writer, $events] = $argv;
$payload = str_repeat('x', 270);
$ours = new SegmentWriter(AppendConfig::fromArray(['path' => "{$dir}/ours"]), 'events');
$ours->keepSegmentOpen();

$append = $kind === 'ours'
    ? static fn (string $line) => $ours->append($line, 1)
    : static function (string $line, int $n) use ($dir, $writer): void {
        $shard = crc32("{$writer}-{$n}") % 8;

        if (
            file_put_contents("{$dir}/naive/active/shard-{$shard}.log", $line."\n", FILE_APPEND | LOCK_EX)
            !== strlen($line) + 1
        ) {
            throw new RuntimeException('refused');
        }
    };

touch("{$dir}/ready-{$writer}");

do {
    usleep(500);
    clearstatcache();
} while (! file_exists("{$dir}/go"));

$began = hrtime(true);

for ($n = 0; $n < (int) $events; $n++) {
    $append("{\"id\":\"{$writer}-{$n}\",\"p\":\"{$payload}\"}", $n);
}

$ours->closeSegment();
echo json_encode(['began' => $began, 'ended' => hrtime(true)], JSON_THROW_ON_ERROR), "\n";
