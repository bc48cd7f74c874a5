<?php

declare(strict_types=1);

namespace Headroom\Preload;

/**
 * What a list may spare a request, from what loading a class takes here.
 *
 * @internal
 */
final readonly class Gain
{
    /**
     * @param float $microsPerClass to load a class that opcache has
     * @param float $classesPerRequest of the list, that a request uses
     * @param ?float $requestMicros of CPU, without preloading; null where the kernel does not tell
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

    /** Of a request's CPU, 0 to 1. */
    public function share(): ?float
    {
        return $this->requestMicros === null || $this->requestMicros <= 0.0
            ? null
            : min(1.0, $this->micros() / $this->requestMicros);
    }
}
