<?php

declare(strict_types=1);

namespace Headroom\Preload;

/**
 * The time that a list may save a request, estimated from the time to load a class on this machine.
 *
 * @internal
 */
final readonly class Gain
{
    /**
     * @param float $microsPerClass time to load a class that opcache has cached
     * @param float $classesPerRequest number of classes of the list that a request uses
     * @param ?float $requestMicros CPU time of a request without preloading; null if the kernel does not report it
     */
    public function __construct(
        public float $microsPerClass,
        public float $classesPerRequest,
        public ?float $requestMicros,
    ) {}

    public function micros(): float
    {
        return $this->microsPerClass * $this->classesPerRequest;
    }

    /** The share of the CPU time of a request, 0 to 1. */
    public function share(): ?float
    {
        return $this->requestMicros === null || $this->requestMicros <= 0.0
            ? null
            : min(1.0, $this->micros() / $this->requestMicros);
    }
}
