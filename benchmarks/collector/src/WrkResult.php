<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector;

final readonly class WrkResult
{
    private function __construct(
        public int $requests,
        public float $seconds,
        public float $p50Millis,
        public float $p95Millis,
        public float $p99Millis,
        /** Answers from 400 on. */
        public int $refused,
        /** Connections that failed or were cut, and requests without an answer in time. */
        public int $broken,
    ) {}

    public static function fromJson(string $json): self
    {
        $is = json_decode($json, true, flags: JSON_THROW_ON_ERROR);

        return new self($is['requests'], $is['micros'] / 1e6, $is['p50'] / 1e3, $is['p95'] / 1e3, $is['p99'] / 1e3, $is['status'], $is['connect'] + $is['read'] + $is['write'] + $is['timeout']);
    }

    public function perSecond(): float
    {
        return ($this->requests - $this->refused) / $this->seconds;
    }

    public function errors(): int
    {
        return $this->refused + $this->broken;
    }
}
