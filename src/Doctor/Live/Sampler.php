<?php

declare(strict_types=1);

namespace Headroom\Doctor\Live;

use Headroom\Core\Clock;
use Headroom\Core\HeadroomException;
use Headroom\Doctor\Facts\Waits\Wait;
use Headroom\Doctor\UnknownFact;

use function array_values;

/**
 * Looks at everything that can be read, as often as it is told to. What can not be read is said once, and the rest goes on.
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
        private readonly array $redis = [],
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

        return new Sample($at, $this->read($this->pool), $this->read($this->waits), $this->read($this->cpu), $redis, $this->read($this->database), $this->read($this->kernel));
    }

    /** @return list<Gap> */
    public function gaps(): array
    {
        return array_values($this->gaps);
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
            $this->gaps[$meter->subject()] ??= new Gap($meter->subject(), $e->getMessage(), $e instanceof UnknownFact ? $e->command : '');

            return null;
        }
    }
}
