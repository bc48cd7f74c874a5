<?php

declare(strict_types=1);

/**
 * Empties the buffer while the eight writers append: `drainer.php ours|naive DIR`. Every 100 ms it takes the events
 * and notes their ids, until the file DIR/stop appears and no event is left. Prints how many it read, and how many of
 * these twice. The naive side is the usual one: rename the shard, read it, delete it.
 */

use Headroom\Core\SystemClock;
use Headroom\Sink\Progress;
use Headroom\Spool\FileStore\FileStore;
use Headroom\Spool\FileStore\Maintenance\Cleaner;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\Store\LogEntries;
use Headroom\Spool\Store\State\DeliveryState;

require dirname(__DIR__, 2).'/vendor/autoload.php';

ini_set('memory_limit', '2G');
[, $kind, $dir] = $argv;
$clock = new SystemClock;
$store = new FileStore("{$dir}/ours", new Permissions, $clock);
$seen = [];
$double = 0;

$note = static function (string $line) use (&$seen, &$double): void {
    $id = substr($line, 7, (int) strpos($line, '"', 7) - 7);
    isset($seen[$id]) ? $double++ : $seen[$id] = true;
};

$naive = static function () use ($dir, $note): int {
    $read = 0;

    foreach (glob("{$dir}/naive/active/shard-*.log") ?: [] as $shard) {
        $claimed = "{$dir}/naive/processing/".basename($shard).'.'.bin2hex(random_bytes(4));

        if (rename($shard, $claimed)) {
            foreach (file($claimed, FILE_IGNORE_NEW_LINES | FILE_SKIP_EMPTY_LINES) ?: [] as $line) {
                $note($line);
                $read++;
            }

            unlink($claimed);
        }
    }

    return $read;
};

$ours = static function () use ($store, $clock, $note): int {
    $lease = $store->claim('events') ?? throw new RuntimeException('another process flushes');
    $lease->seal();
    $cursor = $lease->state()->progress->position;
    $read = 0;

    foreach ($lease->read($cursor) as $item) {
        foreach ($item instanceof LogEntries ? $item : [] as $entry) {
            $note($entry->payload);
            $cursor = $entry->end;
            $read++;
        }
    }

    $lease->save(new DeliveryState(new Progress($cursor)));
    $lease->close($cursor);
    (new Cleaner($store->layout('events'), $store->permissions, $clock))->clean(0);

    return $read;
};

$drain = $kind === 'ours' ? $ours : $naive;

do {
    usleep(100_000);
    clearstatcache();
    $stop = file_exists("{$dir}/stop");
} while ($drain() > 0 || ! $stop);

echo json_encode(['read' => count($seen), 'double' => $double], JSON_THROW_ON_ERROR), "\n";
