<?php

declare(strict_types=1);

namespace Headroom\Collector;

use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;

/**
 * When a worker is replaced by a fresh one. Each worker gets slightly different limits, so that they are not replaced
 * together.
 *
 * @internal
 */
final readonly class RecyclePolicy
{
    /**
     * @param int $requests 0: no limit, like the other two
     * @param int $memory bytes
     * @param int $bornAt monotonic nanoseconds
     */
    private function __construct(
        private int $requests,
        private int $memory,
        private int $seconds,
        private int $bornAt,
    ) {}

    /**
     * @param float $jitter 0 to 1; lowers the limits by up to a tenth
     *
     * @throws InvalidConfig
     */
    public static function fromOptions(ConfigReader $section, int $bornAt, float $jitter): self
    {
        $section->only(['requests', 'memory', 'seconds']);
        $share = 1.0 - 0.1 * $jitter;

        return new self(
            (int) ($share * $section->int('requests', 0, PHP_INT_MAX, 0)),
            $section->int('memory', 0, 1_048_576, 128) * 1_048_576,
            (int) ($share * $section->int('seconds', 0, 31_536_000, 86_400)),
            $bornAt,
        );
    }

    /**
     * @param int $memory bytes
     * @return ?string why; what is before the colon is its name in the metrics
     */
    public function over(int $now, int $memory, int $requests): ?string
    {
        $seconds = intdiv($now - $this->bornAt, 1_000_000_000);

        return match (true) {
            $this->memory > 0 && $memory > $this->memory => sprintf('memory: it uses %d MiB', $memory >> 20),
            $this->requests > 0 && $requests >= $this->requests => "requests: it has answered {$requests}",
            $this->seconds > 0 && $seconds >= $this->seconds => "age: it is {$seconds} s old",
            default => null,
        };
    }
}
