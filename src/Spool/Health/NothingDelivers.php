<?php

declare(strict_types=1);

namespace Headroom\Spool\Health;

use Headroom\Core\Finding;
use Headroom\Spool\Append\DeliveryDelay;
use Headroom\Spool\FileStore\DirectoryListing;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\Services\SpoolServices;

/**
 * Buckets on this disk that no flush has claimed for five minutes, although events wait. It reads files of this
 * machine only. A sink that is down is not found here: it must not take the servers of an application out of service.
 *
 * @internal
 */
final readonly class NothingDelivers implements HealthCheck
{
    public function __construct(private SpoolServices $spool) {}

    public function findings(): array
    {
        $store = $this->spool->store();
        $delay = new DeliveryDelay($this->spool->config(), $this->spool->clock(), $this->spool->isInMaintenance(...));
        $problems = [];

        foreach ($store->isUntouched() ? [] : $this->spool->config()->names() as $bucket) {
            $oldest = $this->spool->stores()->isOnRedis($bucket) ? null : self::oldest($store->layout($bucket));
            $seconds = $oldest === null ? null : $delay->seconds($bucket, $oldest);

            if (
                $oldest !== null
                && $seconds !== null
                && ! $delay->isExpected($bucket, $oldest)
                && $delay->isLasting($bucket)
            ) {
                $problems[] = new Finding(
                    "bucket {$bucket}",
                    DeliveryDelay::message($bucket, $seconds),
                    "Run `spool:flush {$bucket}` to deliver its events now.",
                );
            }
        }

        return $problems;
    }

    /** @return ?int when its oldest event was accepted, in seconds since the Unix epoch */
    private static function oldest(Layout $layout): ?int
    {
        $sealed = DirectoryListing::asSeen($layout->sealed)->segments();
        $paths = [
            ...array_map($layout->sealedSegment(...), array_slice($sealed, 0, 1)),
            ...array_map(
                static fn (string $name): string => "{$layout->active}/{$name}",
                DirectoryListing::asSeen($layout->active)->activeSegments(),
            ),
        ];
        $times = array_filter(array_map(DeliveryDelay::acceptedAt(...), $paths), is_int(...));

        return $times === [] ? null : min($times);
    }
}
