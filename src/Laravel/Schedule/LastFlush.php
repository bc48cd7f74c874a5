<?php

declare(strict_types=1);

namespace Headroom\Laravel\Schedule;

use Headroom\Core\HeadroomException;
use Headroom\Spool\Health\NodesAreSilent;
use Headroom\Spool\Services\SpoolServices;
use Throwable;

/**
 * When a flush last looked at a bucket of this machine, for `php artisan about`. A schedule that no process runs looks
 * the same as one that runs.
 *
 * @internal
 */
final readonly class LastFlush
{
    public function __construct(private SpoolServices $spool) {}

    /** Never throws. */
    public function words(): string
    {
        try {
            return $this->seen();
        } catch (HeadroomException $e) {
            return "unknown: {$e->getMessage()}";
        } catch (Throwable) {
            return 'unknown; see spool:health';
        }
    }

    /** @throws HeadroomException */
    private function seen(): string
    {
        $store = $this->spool->store();
        $declared = $this->spool->config()->names();
        $onDisk = array_filter($declared, fn (string $name): bool => ! $this->spool->stores()->isOnRedis($name));

        if ($declared !== [] && $onDisk === []) {
            return 'see spool:status; the buckets are in Redis';
        }

        $used = $store->isUntouched() ? [] : array_values(array_intersect($store->buckets(), $onDisk));
        $seconds = $this->newest($used);

        return match (true) {
            $seconds !== null => NodesAreSilent::ago($seconds).' ago',
            $used === [] => 'never; nothing has been buffered yet',
            default => 'never',
        };
    }

    /** @return ?int seconds since a flush last looked at a bucket on this disk; null if none did or it is unknown */
    public function seconds(): ?int
    {
        try {
            return $this->spool->isUntouched() ? null : $this->newest($this->spool->store()->buckets());
        } catch (HeadroomException) {
            return null;
        }
    }

    /** @param list<string> $buckets */
    private function newest(array $buckets): ?int
    {
        $times = array_filter(array_map($this->spool->store()->flushedAt(...), $buckets), is_int(...));

        return $times === [] ? null : max(0, intdiv($this->spool->clock()->micros(), 1_000_000) - max($times));
    }
}
