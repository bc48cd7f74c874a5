<?php

declare(strict_types=1);

namespace Headroom\Spool\Services;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\FaultPoint;
use Headroom\Spool\Append\DeliveryDelay;
use Headroom\Spool\Append\DirectDelivery;
use Headroom\Spool\Append\DirectWriter;
use Headroom\Spool\Append\Notifier;
use Headroom\Spool\Append\OverflowHandler;
use Headroom\Spool\Append\OverflowHandlers;
use Headroom\Spool\Append\RefusalIncidents;
use Headroom\Spool\Append\UndeliveredWarning;
use Headroom\Spool\AppendConfig;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\Segment\SegmentWriter;
use Headroom\Spool\FileStore\State\LogThrottle;
use Headroom\Spool\InvalidBucket;
use Headroom\Spool\RedisStore\Client\Client;
use Headroom\Spool\RedisStore\RedisWriter;
use Headroom\Spool\RefusalOutcome;
use Headroom\Spool\Store\Writer;
use Headroom\Spool\UnableToAppend;
use Throwable;

/**
 * Creates the writers for events that do not go to this disk: they go to Redis, to the sink, or through the bucket's
 * `overflow` policy. It reads the configuration unchecked, as a request does, so an error in another setting does not
 * fail an append.
 *
 * @internal
 */
final class WriterFactory
{
    private ?OverflowHandler $refusals = null;

    private ?RefusalIncidents $incidents = null;

    private ?UndeliveredWarning $undelivered = null;

    /** @var array<string, true> undeclared buckets that this process has met */
    private array $undeclared = [];

    /**
     * @param Closure(): AppendConfig $settings
     * @param Closure(): bool $isInMaintenance
     */
    public function __construct(
        private readonly Closure $settings,
        private readonly Backends $backends,
        private readonly Notifier $notifier,
        private readonly Clock $clock,
        private readonly ?FaultPoint $faultPoint,
        private readonly Closure $isInMaintenance,
    ) {}

    /** @param ?Closure(Closure(): void, ?string): void $defer */
    public function overflowHandlers(?Closure $defer = null): OverflowHandlers
    {
        return new OverflowHandlers($this->refused(...), $this->deliver(...), $defer);
    }

    /** Returns the writer of a bucket in Redis. */
    public function redisWriter(string $bucket): Writer
    {
        $settings = ($this->settings)();
        $config = $settings->whole();

        return new RedisWriter(
            $config,
            $bucket,
            fn (): Client => $this->backends->redis($config->redis()->connection),
            fn (): Writer => new SegmentWriter($settings, $bucket, $this->clock, $this->faultPoint),
            fn (UnableToAppend $why, int $count) => $this->incidents()
                ->note($bucket, $why, RefusalOutcome::OnDisk, $count),
            $this->clock,
        );
    }

    /**
     * Called by a bucket when an append failed.
     *
     * @param int<1, max> $count
     *
     * @throws UnableToAppend
     */
    public function refused(string $bucket, UnableToAppend $refusal, string $payload, int $count): void
    {
        $this->refusals ??= new OverflowHandler(($this->settings)()->whole(), $this->delivery(), $this->incidents());
        $this->refusals->handle($bucket, $refusal, $payload, $count);
    }

    /**
     * Called by a buffer for events that bypass it.
     *
     * @param int<1, max> $count
     *
     * @throws UnableToAppend
     */
    public function deliver(string $bucket, string $payload, int $count): void
    {
        (new DirectWriter(($this->settings)()->whole(), $this->delivery(), $this->clock))->deliver(
            $bucket,
            $payload,
            $count,
        );
    }

    /** Logs that an event arrived for an undeclared bucket: one warning per hour and bucket, across all processes. */
    public function noteUndeclared(string $bucket): void
    {
        // The application's log may write to that bucket. Without this check the warning would cause another warning.
        if (isset($this->undeclared[$bucket])) {
            return;
        }

        $this->undeclared[$bucket] = true;

        try {
            $config = ($this->settings)()->whole();
            $hourly = new LogThrottle(
                $config->path,
                Permissions::of($config),
                $this->clock,
                'undeclared',
                3_600_000_000,
            );

            if ($hourly->take($bucket, 'undeclared', 1) > 0) {
                $this->notifier->logger()->warning('spool: '.InvalidBucket::undeclared($bucket)->getMessage());
            }
        } catch (Throwable) {
            // Events are accepted also when the warning cannot be written.
        }
    }

    /**
     * Logs that nothing delivers a bucket: one warning per bucket and ten minutes, across all processes. Never throws.
     *
     * @param string $oldest path of the oldest active segment
     */
    public function noteLate(string $bucket, string $oldest): void
    {
        try {
            if ($this->undelivered === null) {
                $config = ($this->settings)()->whole();
                $delay = new DeliveryDelay($config, $this->clock, $this->isInMaintenance);
                $this->undelivered = new UndeliveredWarning($config, $this->clock, $this->notifier, $delay);
            }

            $this->undelivered->check($bucket, $oldest);
        } catch (Throwable) {
            // The event is accepted. The flush and spool:health report what is wrong.
        }
    }

    public function incidents(): RefusalIncidents
    {
        return $this->incidents ??= new RefusalIncidents(
            ($this->settings)()->whole(),
            $this->clock,
            $this->notifier,
        );
    }

    private function delivery(): DirectDelivery
    {
        return new DirectDelivery($this->backends->sinks(), $this->clock);
    }
}
