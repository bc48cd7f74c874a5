<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\FaultPoint;
use Headroom\Spool\File\Slots;
use Headroom\Spool\Redis\Client;
use Headroom\Spool\Redis\RedisWriter;
use Headroom\Spool\Refusal\Bypass;
use Headroom\Spool\Refusal\DirectDelivery;
use Headroom\Spool\Refusal\Incidents;
use Headroom\Spool\Refusal\Refusals;

/**
 * What stands behind a Buffer for events that do not go to this disk: Redis, the sink itself, or what the bucket's
 * on_failure says. It reads the configuration unchecked, as a request does: a mistake elsewhere is none of its business.
 *
 * @internal
 */
final class WritePath
{
    private ?Refusals $refusals = null;

    private ?Incidents $incidents = null;

    /** @param Closure(): WriteSettings $settings */
    public function __construct(
        private readonly Closure $settings,
        private readonly Connections $connections,
        private readonly Listeners $listeners,
        private readonly Clock $clock,
        private readonly ?FaultPoint $checkpoint,
    ) {}

    /** @param ?Closure(Closure(): void, ?string): void $defer */
    public function detours(?Closure $defer = null): Detours
    {
        return new Detours($this->refused(...), $this->deliver(...), $defer);
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
            fn (): Writer => new Slots($settings, $bucket, $this->clock, $this->checkpoint),
            fn (UnableToAppend $why, int $count) => $this->incidents()->note($bucket, $why, RefusalOutcome::OnDisk, $count),
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
        $this->refusals ??= new Refusals(($this->settings)()->whole(), $this->delivery(), $this->incidents());
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
        (new Bypass(($this->settings)()->whole(), $this->delivery(), $this->clock))->deliver($bucket, $payload, $count);
    }

    public function incidents(): Incidents
    {
        return $this->incidents ??= new Incidents(($this->settings)()->whole(), $this->clock, $this->listeners->logger(...), $this->listeners->dispatch);
    }

    private function delivery(): DirectDelivery
    {
        return new DirectDelivery($this->connections->sinks(), $this->clock);
    }
}
