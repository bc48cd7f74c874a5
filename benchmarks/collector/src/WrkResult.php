<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector;

use RuntimeException;

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
        /** Connections that failed or were closed, and requests without an answer in time. */
        public int $broken,
    ) {}

    public static function fromJson(string $json): self
    {
        $is = json_decode($json, true, flags: JSON_THROW_ON_ERROR);

        return new self(
            $is['requests'],
            $is['micros'] / 1e6,
            $is['p50'] / 1e3,
            $is['p95'] / 1e3,
            $is['p99'] / 1e3,
            $is['status'],
            $is['connect'] + $is['read'] + $is['write'] + $is['timeout'],
        );
    }

    /** @throws RuntimeException */
    public static function fromOutput(string $output): self
    {
        return preg_match('/^RESULT (\{.+\})$/m', $output, $m) === 1
            ? self::fromJson($m[1])
            : throw new RuntimeException("wrk printed no result:\n{$output}");
    }

    /** @return array<string, int|float> */
    public function toArray(): array
    {
        return [
            'requests' => $this->requests,
            'requests_per_second' => round($this->perSecond(), 1),
            'p50_ms' => $this->p50Millis,
            'p95_ms' => $this->p95Millis,
            'p99_ms' => $this->p99Millis,
            'refused' => $this->refused,
            'broken' => $this->broken,
        ];
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
