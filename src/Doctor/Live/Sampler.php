<?php

declare(strict_types=1);

namespace Headroom\Doctor\Live;

use Headroom\Core\Clock;
use Headroom\Core\HeadroomException;
use Headroom\Doctor\Facts\Redis\RedisAddress;
use Headroom\Doctor\Facts\Waits\Wait;
use Headroom\Doctor\UnknownFact;

use function array_values;
use function str_starts_with;
use function substr;

/**
 * Looks at everything that can be read, as often as it is told to. What can not be read is said once,
 * and the rest goes on.
 *
 * @internal
 */
final class Sampler
{
    /** @var array<string, Gap> by what it is about */
    private array $gaps = [];

    /**
     * @param ?Meter<PoolMoment> $pool
     * @param ?Meter<list<Wait>> $waits
     * @param ?Meter<CpuMoment> $cpu
     * @param list<Meter<RedisMoment>> $redis
     * @param ?Meter<DatabaseMoment> $database
     * @param ?Meter<KernelMoment> $kernel
     */
    public function __construct(
        private readonly Clock $clock,
        private readonly ?Meter $pool = null,
        private readonly ?Meter $waits = null,
        private readonly ?Meter $cpu = null,
        private array $redis = [],
        private readonly ?Meter $database = null,
        private readonly ?Meter $kernel = null,
    ) {}

    public function sample(): Sample
    {
        $at = $this->clock->monotonicNanos();
        $redis = [];

        foreach ($this->redis as $meter) {
            $moment = $this->read($meter);

            if ($moment !== null) {
                $redis[] = $moment;
            }
        }

        $waits = $this->read($this->waits);
        $this->meet($waits ?? []);

        return new Sample(
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

    /** @return list<Gap> */
    public function gaps(): array
    {
        return array_values($this->gaps);
    }

    /**
     * A Redis of this machine that nobody had told of, as without an application: it is asked from the next look on.
     *
     * @param list<Wait> $waits
     */
    private function meet(array $waits): void
    {
        foreach ($this->redis === [] ? $waits : [] as $wait) {
            if ($wait->peer !== null && Peers::of($wait) === Peers::Redis) {
                $this->redis[] = new RedisMeter(new RedisAddress(
                    (str_starts_with($wait->peer->address, 'unix:')
                        ? 'unix://'.substr($wait->peer->address, 5)
                        : "tcp://{$wait->peer->address}"),
                ));

                return;
            }
        }
    }

    /**
     * @template TMoment
     *
     * @param ?Meter<TMoment> $meter
     * @return ?TMoment
     */
    private function read(?Meter $meter): mixed
    {
        if ($meter === null) {
            return null;
        }

        try {
            return $meter->read();
        } catch (HeadroomException $e) {
            $this->gaps[$meter->subject()] ??= new Gap(
                $meter->subject(),
                $e->getMessage(),
                $e instanceof UnknownFact ? $e->command : '',
            );

            return null;
        }
    }
}
