<?php

declare(strict_types=1);

namespace Headroom\Doctor\Live\Profile;

use Headroom\Core\Clock;
use Headroom\Doctor\Facts\Fpm\FpmPool;
use Headroom\Doctor\UnknownFact;
use Headroom\Host\Fpm\Address;
use Headroom\Host\Fpm\Answer;
use Headroom\Host\Fpm\Client;
use Headroom\Host\Fpm\UnableToAsk;
use Headroom\Host\UnableToStart;

use function array_key_first;
use function array_map;
use function array_sum;
use function arsort;
use function count;
use function max;
use function preg_match;
use function str_starts_with;

/**
 * Sends the page that the load asked for to the pool once more, with a sampling script in front, and counts which functions take the CPU
 * time. The load is over by then: a sample is of CPU time, which the same work takes however many wait for it.
 *
 * @internal
 */
final readonly class PoolProfiler
{
    /** Of CPU time: at one sample a millisecond the share of a function is known within a few percent. */
    private const ENOUGH_MICROS = 1_500_000;

    private const SAMPLING_NANOS = 6_000_000_000;

    private const MOST_REQUESTS = 300;

    /** An application may work on after its answer. */
    private const AFTER_ANSWER_NANOS = 3_000_000_000;

    /** What the load has left in the queue is answered first. */
    private const DRAIN_NANOS = 15_000_000_000;

    private const PAUSE_MICROS = 50_000;

    private const LEAST_TIMEOUT_MILLIS = 1_000;

    public function __construct(private Clock $clock, private Excimer $excimer) {}

    /**
     * @param ?int $status that most requests of the load were answered with
     * @param float $timeout seconds of one request
     *
     * @throws UnknownFact
     * @throws UnableToAsk
     * @throws UnableToStart
     */
    public function profile(FpmPool $pool, Page $page, ?int $status, float $timeout): CpuProfile
    {
        $pool = $this->drained($pool);
        $this->mustHaveExcimer($pool);
        $script = self::script($pool);
        $sampling = SamplingScript::write();

        try {
            $requests = $this->sampled($pool->address(), $page->params($script, $sampling->path()), $sampling, $status, $timeout);
        } finally {
            $sampling->remove();
        }

        $profile = CpuProfile::of($script, $requests);

        return $profile->isEnough() ? $profile : throw UnknownFact::because(
            "excimer took {$profile->samples} samples in {$profile->requests} requests to {$script}; at least ".CpuProfile::ENOUGH.' are needed.',
            'headroom doctor --watch   # which programs take the CPUs',
        );
    }

    /** @throws UnknownFact */
    private function drained(FpmPool $pool): FpmPool
    {
        for ($until = $this->clock->monotonicNanos() + self::DRAIN_NANOS; $this->clock->monotonicNanos() < $until;) {
            // What a pool has told once it tells again.
            $pool = $pool->again();

            if ($pool->queue()->waiting === 0) {
                break;
            }

            $this->clock->sleep(self::PAUSE_MICROS);
        }

        return $pool;
    }

    /** @throws UnknownFact */
    private function mustHaveExcimer(FpmPool $pool): void
    {
        $runtime = $pool->runtime();

        if (! $runtime->hasExtension(Excimer::NAME)) {
            throw UnknownFact::because(
                "The pool {$pool->name()} (PHP {$runtime->phpVersion}) has no excimer, the extension that samples PHP functions. Install it, reload PHP-FPM, and ask again.",
                "{$this->excimer->install($runtime)} && {$pool->reload()}",
            );
        }
    }

    /**
     * The one that most processes ran last, which is the load's.
     *
     * @throws UnknownFact
     */
    private static function script(FpmPool $pool): string
    {
        $page = $pool->settings->text('pm.status_path');
        $scripts = [];

        foreach ($pool->status()->processes ?? [] as $process) {
            $script = $process->script ?? '';

            if (str_starts_with($script, '/') && $script !== $page && ! self::isOwn($script)) {
                $scripts[$script] = ($scripts[$script] ?? 0) + 1;
            }
        }

        arsort($scripts);

        return array_key_first($scripts) ?? throw UnknownFact::because("No process of the pool {$pool->name()} tells which script it ran.", 'headroom doctor --only=F7');
    }

    /** Of a doctor, which has the pool run scripts in directories of this name. */
    private static function isOwn(string $script): bool
    {
        return preg_match('~/headroom-probe-[0-9a-f]+/[0-9a-f]+\.php\z~', $script) === 1;
    }

    /**
     * @param array<string, string> $params
     * @return list<RequestSamples>
     *
     * @throws UnknownFact
     * @throws UnableToAsk
     */
    private function sampled(Address $pool, array $params, SamplingScript $sampling, ?int $status, float $timeout): array
    {
        $client = new Client(answerMillis: max(self::LEAST_TIMEOUT_MILLIS, (int) (1_000 * $timeout)), clock: $this->clock);
        $until = $this->clock->monotonicNanos() + self::SAMPLING_NANOS;
        $samples = [];

        for ($sent = 1; $sent <= self::MOST_REQUESTS && $this->clock->monotonicNanos() < $until; $sent++) {
            $answer = $client->ask($pool, $params)->mustCome($pool, $params['SCRIPT_FILENAME']);
            self::mustBeTheSame($answer, $status, $params);
            $samples = $this->written($sampling, $sent);
            $used = array_sum(array_map(static fn (RequestSamples $request): int => $request->cpuMicros, $samples));

            if ($used >= self::ENOUGH_MICROS) {
                break;
            }
        }

        return $samples;
    }

    /**
     * An answer of another status came of other code: its functions are not those that the load has run.
     *
     * @param array<string, string> $params
     *
     * @throws UnknownFact
     */
    private static function mustBeTheSame(Answer $answer, ?int $status, array $params): void
    {
        if ($status !== null && $answer->status !== $status) {
            throw UnknownFact::because(
                "The load was answered with {$status}, and {$params['HEADROOM_SCRIPT']} answers the pool's own request with {$answer->status}: it ran other code.",
                'headroom errorlog   # what it logged',
            );
        }
    }

    /** @return list<RequestSamples> */
    private function written(SamplingScript $sampling, int $sent): array
    {
        for ($until = $this->clock->monotonicNanos() + self::AFTER_ANSWER_NANOS; ;) {
            $samples = $sampling->samples();

            if (count($samples) >= $sent || $this->clock->monotonicNanos() >= $until) {
                return $samples;
            }

            $this->clock->sleep(5_000);
        }
    }
}
