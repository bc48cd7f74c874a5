<?php

declare(strict_types=1);

namespace Headroom\Spool\Append;

use Headroom\Core\Clock;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\State\CountersFile;
use Headroom\Spool\FileStore\State\RefusalCounts;
use Headroom\Spool\SpoolConfig;
use Headroom\Spool\UnableToAppend;
use Headroom\Support\InvalidConfig;
use Headroom\Support\Path;
use RuntimeException;
use Throwable;

/**
 * Events that go past the buffer because somebody wants it so: Buffer::direct(), and `enabled` set to false.
 *
 * @internal
 */
final readonly class DirectWriter
{
    public function __construct(private SpoolConfig $config, private DirectDelivery $delivery, private Clock $clock) {}

    /**
     * @param int<1, max> $count events in the payload
     *
     * @throws UnableToAppend they are not there
     * @throws Throwable what the sink threw when the caller's own transaction is gone
     */
    public function deliver(string $bucket, string $payload, int $count): void
    {
        try {
            $config = $this->config->bucket($bucket) ?? throw UnableToAppend::noSinks($bucket);
        } catch (InvalidConfig $e) {
            throw UnableToAppend::notByTheSink($bucket, $e);
        }

        $arrivals = new DirectWriteResult;

        try {
            // What the caller rolls back was never accepted.
            $isThere = $this->delivery->try($config, $payload, $arrivals, fn (bool $kept) => $kept ? $this->count($bucket, $count) : null);
        } catch (Throwable $e) {
            if ($arrivals->count > 0) {
                $this->count($bucket, $arrivals->count);
            }

            throw $this->delivery->isTheCallers($config, $e) ? $e : UnableToAppend::notByTheSink($bucket, $e, $arrivals->count);
        }

        if (! $isThere) {
            throw UnableToAppend::notByTheSink($bucket, new RuntimeException(ucfirst(DirectDelivery::notPossible($config))));
        }
    }

    /** Accepted and delivered at once, so that the accounts are right also where it can not be counted. */
    private function count(string $bucket, int $count): void
    {
        $layout = new Layout($this->config->path, $bucket);
        $now = $this->clock->micros();

        // A buffer that is turned off makes no directory.
        if (Path::isAbsent($layout->directory)) {
            return;
        }

        try {
            (new CountersFile($layout, $this->clock))->update(static fn (RefusalCounts $counts): RefusalCounts => $counts->withBypassed($count, $now), Permissions::of($this->config));
        } catch (Throwable) {
            // The events are there, and the caller may not get an exception for them. spool:health says what stands in the way.
        }
    }
}
