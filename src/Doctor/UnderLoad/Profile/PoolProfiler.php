<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Profile;

use Headroom\Core\Clock;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Host\Fpm\Address;
use Headroom\Host\Fpm\FastCgiClient;
use Headroom\Host\Fpm\FastCgiResponse;
use Headroom\Host\Fpm\UnableToQueryPool;
use Headroom\Process\UnableToStart;

/**
 * Requests the page of the load from the pool, behind a sampling script, and counts the functions that take the CPU
 * time. The load has ended by then: a request takes the same CPU time without a queue.
 *
 * @internal
 */
final readonly class PoolProfiler
{
    /** Enough CPU time to know the share of a function within a few percent, at one sample a millisecond. */
    private const ENOUGH_MICROS = 1_500_000;

    private const SAMPLING_NANOS = 6_000_000_000;

    private const MOST_REQUESTS = 300;

    /** An application may continue after its response. */
    private const AFTER_ANSWER_NANOS = 3_000_000_000;

    /** The queue that the load has left must drain first. */
    private const DRAIN_NANOS = 15_000_000_000;

    /** The master updates its counters once a second. */
    private const COUNTED_NANOS = 3_000_000_000;

    private const PAUSE_MICROS = 200_000;

    private const LEAST_TIMEOUT_MILLIS = 1_000;

    public function __construct(private Clock $clock, private Excimer $excimer, private LoadedScript $script) {}

    /**
     * @param ?int $status the most frequent status of the load
     * @param float $timeout seconds of one request
     *
     * @throws FactUnavailable
     * @throws UnableToQueryPool
     * @throws UnableToStart
     */
    public function profile(?FpmPool $pool, LoadedPage $page, ?int $status, float $timeout): CpuProfile
    {
        $pool ??= throw FactUnavailable::because('No PHP-FPM runs here.', 'sudo headroom doctor');
        // A request for its settings would be the last script of a process.
        $script = $this->script->in($this->drained($pool), $page->path());
        $pool = $this->idle($pool);
        $this->mustHaveExcimer($pool);
        $sampling = SamplingScript::write($this->clock);

        try {
            $params = $page->params($script, $sampling->path());
            $requests = $this->sampled($pool->address(), $params, $sampling, $status, $timeout);
        } finally {
            $sampling->remove();
        }

        $profile = CpuProfile::of($script, $requests);

        return $profile->isEnough() ? $profile : throw FactUnavailable::because(
            "excimer took {$profile->samples} samples in {$profile->requests} requests to {$script}, and "
                .CpuProfile::MIN_SAMPLES
                .sprintf(' are needed: a request takes %.1f ms of CPU time.', $profile->cpuMillis()),
            'headroom doctor --url=URL   # of a page that takes more CPU time',
        );
    }

    /** Of real requests only the address is known, not whether it is safe to repeat them. */
    public static function sendsNothing(?FpmPool $pool, ?NginxServers $nginx): FactUnavailable
    {
        $site = $pool === null ? '' : PoolSite::of($nginx, $pool);

        try {
            $processes = $pool?->again()->status()->processes ?? [];
        } catch (FactUnavailable) {
            $processes = [];
        }

        return FactUnavailable::because(
            'With --watch the doctor sends no request that it could sample.',
            $pool === null
                ? 'headroom doctor --url=URL   # of a page that takes CPU time'
                : (new BusyPage($processes, $site))->command().'   # a page that takes CPU time',
        );
    }

    /**
     * Waits until the requests that the load has left are answered.
     *
     * @throws FactUnavailable
     */
    private function drained(FpmPool $pool): FpmPool
    {
        for ($until = $this->clock->monotonicNanos() + self::DRAIN_NANOS; $this->clock->monotonicNanos() < $until;) {
            // A pool object caches its status page.
            $pool = $pool->again();

            if ($pool->queue()->waiting === 0) {
                break;
            }

            $this->clock->sleep(self::PAUSE_MICROS);
        }

        return $pool->again();
    }

    /** Waits until the master has counted that. */
    private function idle(FpmPool $pool): FpmPool
    {
        $until = $this->clock->monotonicNanos() + self::COUNTED_NANOS;

        do {
            $pool = $pool->again();

            try {
                $pool->runtime();

                return $pool;
            } catch (FactUnavailable) {
                $this->clock->sleep(self::PAUSE_MICROS);
            }
        } while ($this->clock->monotonicNanos() < $until);

        return $pool;
    }

    /** @throws FactUnavailable */
    private function mustHaveExcimer(FpmPool $pool): void
    {
        $runtime = $pool->runtime();

        if (! $runtime->hasExtension(Excimer::NAME)) {
            throw FactUnavailable::because(
                "The pool {$pool->name()} (PHP {$runtime->phpVersion}) has no excimer, the extension that samples PHP"
                    .' functions. Install it, reload PHP-FPM, and ask again.',
                "{$this->excimer->install($runtime)} && {$pool->reload()}",
            );
        }

        $disabled = preg_split('/[\s,]+/', $runtime->ini('disable_functions')->value ?? '');
        $lacking = array_intersect(SamplingScript::FUNCTIONS, $disabled === false ? [] : $disabled);

        if ($lacking !== []) {
            throw FactUnavailable::because(
                "disable_functions of the pool {$pool->name()} has ".implode(', ', $lacking).', which sampling needs.',
                $pool->dump('disable_functions'),
            );
        }
    }

    /**
     * @param array<string, string> $params
     * @return list<RequestSamples>
     *
     * @throws FactUnavailable
     * @throws UnableToQueryPool
     */
    private function sampled(
        Address $pool,
        array $params,
        SamplingScript $sampling,
        ?int $status,
        float $timeout,
    ): array {
        $millis = max(self::LEAST_TIMEOUT_MILLIS, (int) (1_000 * $timeout));
        $client = new FastCgiClient(answerMillis: $millis, clock: $this->clock);
        $until = $this->clock->monotonicNanos() + self::SAMPLING_NANOS;
        $samples = [];

        for ($sent = 1; $sent <= self::MOST_REQUESTS && $this->clock->monotonicNanos() < $until; $sent++) {
            $answer = $client->ask($pool, $params)->assertScriptRan($pool, $params['SCRIPT_FILENAME']);
            self::mustBeTheSame($answer, $status, $params);
            array_push($samples, ...$this->written($sampling));
            $used = array_sum(array_map(static fn (RequestSamples $request): int => $request->cpuMicros, $samples));

            if ($used >= self::ENOUGH_MICROS) {
                break;
            }
        }

        return $samples;
    }

    /**
     * A response with another status comes from other code than the load has run.
     *
     * @param array<string, string> $params
     *
     * @throws FactUnavailable
     */
    private static function mustBeTheSame(FastCgiResponse $answer, ?int $status, array $params): void
    {
        if ($status !== null && $answer->status !== $status) {
            throw FactUnavailable::because(
                "The load was answered with {$status}, and the doctor's own request to {$params['HEADROOM_SCRIPT']}"
                    ." with {$answer->status}: it ran other code.",
                'headroom doctor --watch   # which programs take the CPUs',
            );
        }
    }

    /** @return list<RequestSamples> of the last request; none where its process was ended */
    private function written(SamplingScript $sampling): array
    {
        $until = $this->clock->monotonicNanos() + self::AFTER_ANSWER_NANOS;

        do {
            $samples = $sampling->samples();

            if ($samples !== []) {
                return $samples;
            }

            $this->clock->sleep(5_000);
        } while ($this->clock->monotonicNanos() < $until);

        return [];
    }
}
