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
 * Writes events to the sink without the buffer because the application asks for it: with Buffer::direct(), or with
 * `enabled` set to false.
 *
 * @internal
 */
final readonly class DirectWriter
{
    public function __construct(private SpoolConfig $config, private DirectDelivery $delivery, private Clock $clock) {}

    /**
     * @param int<1, max> $count events in the payload
     *
     * @throws UnableToAppend when the sink has not stored all events
     * @throws Throwable the sink's exception when the caller's own transaction is lost
     */
    public function deliver(string $bucket, string $payload, int $count): void
    {
        try {
            $config = $this->config->bucket($bucket) ?? throw UnableToAppend::noSink($bucket);
        } catch (InvalidConfig $e) {
            throw UnableToAppend::sinkFailed($bucket, $e);
        }

        $result = new DirectWriteResult;

        try {
            // Events whose transaction the caller rolls back were never accepted, so they are not counted.
            $isDelivered = $this->delivery->try(
                $config,
                $payload,
                $result,
                fn (bool $kept) => $kept ? $this->count($bucket, $count) : null,
            );
        } catch (Throwable $e) {
            if ($result->count > 0) {
                $this->count($bucket, $result->count);
            }

            throw $this->delivery->isTransactionLost($config, $e)
                ? $e
                : UnableToAppend::sinkFailed($bucket, $e, $result->count);
        }

        if (! $isDelivered) {
            throw UnableToAppend::sinkFailed(
                $bucket,
                new RuntimeException(ucfirst(DirectDelivery::unsupported($config))),
            );
        }
    }

    /** Counts the events as accepted and delivered in one step, so the accounts also agree when the step fails. */
    private function count(string $bucket, int $count): void
    {
        $layout = new Layout($this->config->path, $bucket);
        $now = $this->clock->micros();

        // A buffer that is turned off creates no directory.
        if (Path::isAbsent($layout->directory)) {
            return;
        }

        try {
            (new CountersFile($layout, $this->clock))->update(
                static fn (RefusalCounts $counts): RefusalCounts => $counts->withBypassed($count, $now),
                Permissions::of($this->config),
            );
        } catch (Throwable) {
            // The sink has the events, so the caller must not get an exception. spool:health reports what is wrong with
            // the counters.
        }
    }
}
