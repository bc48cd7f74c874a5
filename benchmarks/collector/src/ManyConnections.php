<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector;

use Closure;

/**
 * 3,000 clients and two workers that support 1,800 descriptors together: no client may stall.
 */
final readonly class ManyConnections
{
    /* * @param \Closure(string): void $log */
    public function __construct(private float $seconds, private Closure $log) {}

    /** @return array<string, mixed> */
    public function run(): array
    {
        $x = StackX::start(2);

        try {
            $key = $x->key();
            $wrk = Wrk::events(['EVENT_PREFIX' => 'many-', 'EVENT_KEY' => $key]);
            $many = $wrk->run("{$x->url}/v1/events", 3000, $this->seconds, 60);
            $after = Wrk::events(['EVENT_PREFIX' => 'after-', 'EVENT_KEY' => $key])->run("{$x->url}/v1/events", 100, 2);
            $missing = max(0, $many->requests - $many->refused + $after->requests - $after->refused - $x->pending());
        } finally {
            $x->stop();
        }

        ($this->log)(sprintf(
            '  3,000 connections: %.0f acks/s, %d refused, %d broken; 100 after them: %.0f acks/s, p99 %.1f ms,'
                .' %d errors; %d missing',
            $many->perSecond(),
            $many->refused,
            $many->broken,
            $after->perSecond(),
            $after->p99Millis,
            $after->errors(),
            $missing,
        ));

        return ['many' => $many->toArray(), 'after' => $after->toArray(), 'missing' => $missing];
    }
}
