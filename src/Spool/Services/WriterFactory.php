<?php

declare(strict_types=1);

namespace Headroom\Spool\Services;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\FaultPoint;
use Headroom\Spool\Append\DirectDelivery;
use Headroom\Spool\Append\DirectWriter;
use Headroom\Spool\Append\FailureNotifier;
use Headroom\Spool\Append\OverflowHandler;
use Headroom\Spool\Append\OverflowHandlers;
use Headroom\Spool\Append\RefusalIncidents;
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
 * What stands behind a Buffer for events that do not go to this disk: Redis, the sink itself, or what the bucket's
 * overflow setting says. It reads the configuration unchecked, as a request does:
 * a mistake elsewhere is none of its business.
 *
 * @internal
 */
final class WriterFactory
{
    private ?OverflowHandler $refusals = null;

    private ?RefusalIncidents $incidents = null;

    /** @var array<string, true> undeclared buckets that this process has met */
    private array $undeclared = [];

    /** @param Closure(): AppendConfig $settings */
    public function __construct(
        private readonly Closure $settings,
        private readonly Backends $connections,
        private readonly FailureNotifier $listeners,
        private readonly Clock $clock,
        private readonly ?FaultPoint $checkpoint,
    ) {}

    /** @param ?Closure(Closure(): void, ?string): void $defer */
    public function detours(?Closure $defer = null): OverflowHandlers
    {
        return new OverflowHandlers($this->refused(...), $this->deliver(...), $defer);
    }

    /** The writing end of a bucket in Redis. */
    public function redisWriter(string $bucket): Writer
    {
        $settings = ($this->settings)();
        $config = $settings->whole();

        return new RedisWriter(
            $config,
            $bucket,
            fn (): Client => $this->connections->redis($config->redis()->connection),
            fn (): Writer => new SegmentWriter($settings, $bucket, $this->clock, $this->checkpoint),
            fn (UnableToAppend $why, int $count) => $this->incidents()
                ->note($bucket, $why, RefusalOutcome::OnDisk, $count),
            $this->clock,
        );
    }

    /**
     * What a Buffer calls when an append could not be made.
     *
     * @param int<1, max> $count
     *
     * @throws UnableToAppend
     */
    public function refused(string $bucket, UnableToAppend $refusal, string $payload, int $count): void
    {
        $this->refusals ??= new OverflowHandler(($this->settings)()->whole(), $this->delivery(), $this->incidents());
        $this->refusals->settle($bucket, $refusal, $payload, $count);
    }

    /**
     * What a Buffer calls for events that are to go past it.
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

    /** An event came for a bucket that is not declared. All processes together log one warning an hour and bucket. */
    public function noteUndeclared(string $bucket): void
    {
        // The application's log may be that bucket, and the warning must not end in itself.
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
                $this->listeners->logger()->warning('spool: '.InvalidBucket::undeclared($bucket)->getMessage());
            }
        } catch (Throwable) {
            // Events are accepted where no warning can be written.
        }
    }

    public function incidents(): RefusalIncidents
    {
        return $this->incidents ??= new RefusalIncidents(
            ($this->settings)()->whole(),
            $this->clock,
            $this->listeners->logger(...),
            $this->listeners->dispatch,
        );
    }

    private function delivery(): DirectDelivery
    {
        return new DirectDelivery($this->connections->sinks(), $this->clock);
    }
}
