<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector;

use Closure;
use Headroom\Benchmarks\Collector\Handlers\PassOn;
use Symfony\Component\Process\Process;

/**
 * Scenario 2: 1,000 users of an endpoint that waits two seconds for a third party. Four workers of the collector
 * behind nginx, against nginx and FPM; other clients' events must still be acknowledged at once.
 */
final readonly class SlowThirdParty
{
    private const USERS = 1000;

    private const MILLIS = 2000;

    /* * @param \Closure(string): void $log */
    public function __construct(private float $seconds, private Closure $log) {}

    /** @return array<string, mixed> */
    public function run(): array
    {
        $upstream = Upstream::start(self::MILLIS);
        $x = StackX::start(
            4,
            collector: ['handlers' => ['/slow' => PassOn::class]],
            env: ['UPSTREAM' => $upstream->url],
        );
        $a = StackA::start('proxy', ['UPSTREAM' => $upstream->url]);
        $proxy = BehindNginx::start([$x->address]);

        try {
            $others = $this->others($x);
            $slow = (new Wrk)->run("{$proxy->url}/slow", self::USERS, $this->seconds, 60);
            $others->wait();
            $acks = WrkResult::fromOutput($others->getOutput());
            $fpm = (new Wrk)->run("{$a->url()}/", self::USERS, $this->seconds, 60);
        } finally {
            $proxy->stop();
            $x->stop();
            $a->stop();
            $upstream->stop();
        }

        // No answer can come within the first two seconds.
        $answering = max(1.0, $slow->seconds - self::MILLIS / 1000);
        $ideal = self::USERS / (self::MILLIS / 1000);
        $share = ($slow->requests - $slow->refused) / $answering / $ideal;
        ($this->log)(sprintf(
            '  collector %.0f requests/s (%.1f %% of what is possible), p99 %.0f ms, %d errors;'
                .' acks beside it p99 %.1f ms; FPM %.0f requests/s, p50 %.0f ms, %d errors',
            $slow->requests / $answering,
            100 * $share,
            $slow->p99Millis,
            $slow->errors(),
            $acks->p99Millis,
            $fpm->perSecond(),
            $fpm->p50Millis,
            $fpm->errors(),
        ));

        return [
            'ideal_share' => round($share, 4),
            'collector' => $slow->toArray(),
            'acks_beside' => $acks->toArray(),
            'fpm' => $fpm->toArray(),
        ];
    }

    /** Fifty clients that send an event every 100 ms. */
    private function others(StackX $x): Process
    {
        return Wrk::events(['EVENT_PREFIX' => 'beside-', 'EVENT_KEY' => $x->key(), 'EVENT_PAUSE' => '100'])
            ->start("{$x->url}/v1/events", 50, $this->seconds);
    }
}
