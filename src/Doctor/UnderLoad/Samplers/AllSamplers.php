<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Samplers;

use Headroom\Core\Clock;
use Headroom\Core\HeadroomException;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Redis\RedisAddress;
use Headroom\Doctor\UnderLoad\MissingData;
use Headroom\Doctor\UnderLoad\PeerKind;
use Headroom\Doctor\UnderLoad\Waits\Wait;

/**
 * Reads all samplers. A sampler that fails is reported once, and the others continue.
 *
 * @internal
 */
final class AllSamplers
{
    /** @var array<string, MissingData> by what it is about */
    private array $missingData = [];

    /**
     * @param ?Sampler<PoolSnapshot> $pool
     * @param ?Sampler<list<Wait>> $waits
     * @param ?Sampler<CpuSnapshot> $cpu
     * @param list<Sampler<RedisSnapshot>> $redis
     * @param ?Sampler<DatabaseSnapshot> $database
     * @param ?Sampler<KernelSnapshot> $kernel
     */
    public function __construct(
        private readonly Clock $clock,
        private readonly ?Sampler $pool = null,
        private readonly ?Sampler $waits = null,
        private readonly ?Sampler $cpu = null,
        private array $redis = [],
        private readonly ?Sampler $database = null,
        private readonly ?Sampler $kernel = null,
    ) {}

    public function sample(): Snapshot
    {
        $at = $this->clock->monotonicNanos();
        $redis = [];

        foreach ($this->redis as $sampler) {
            $snapshot = $this->read($sampler);

            if ($snapshot !== null) {
                $redis[] = $snapshot;
            }
        }

        $waits = $this->read($this->waits);
        $this->addRedisOf($waits ?? []);

        return new Snapshot(
            $at,
            $this->read($this->pool),
            $waits,
            $this->read($this->cpu),
            $redis,
            $this->read($this->database),
            $this->read($this->kernel),
        );
    }

    public function hasRedis(): bool
    {
        return $this->redis !== [];
    }

    /** @return list<MissingData> */
    public function missingData(): array
    {
        return array_values($this->missingData);
    }

    /**
     * Adds a Redis of this machine that no configuration names, as without an application. It is sampled from the next
     * time on.
     *
     * @param list<Wait> $waits
     */
    private function addRedisOf(array $waits): void
    {
        foreach ($this->redis === [] ? $waits : [] as $wait) {
            if ($wait->peer !== null && PeerKind::of($wait) === PeerKind::Redis) {
                $this->redis[] = new RedisSampler(new RedisAddress(
                    (str_starts_with($wait->peer->address, 'unix:')
                        ? 'unix://'.substr($wait->peer->address, 5)
                        : "tcp://{$wait->peer->address}"),
                ));

                return;
            }
        }
    }

    /**
     * @template TSnapshot
     *
     * @param ?Sampler<TSnapshot> $sampler
     * @return ?TSnapshot
     */
    private function read(?Sampler $sampler): mixed
    {
        if ($sampler === null) {
            return null;
        }

        try {
            return $sampler->read();
        } catch (HeadroomException $e) {
            $this->missingData[$sampler->subject()] ??= new MissingData(
                $sampler->subject(),
                $e->getMessage(),
                $e instanceof FactUnavailable ? $e->command : '',
            );

            return null;
        }
    }
}
