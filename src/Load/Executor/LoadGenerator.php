<?php

declare(strict_types=1);

namespace Headroom\Load\Executor;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Load\ArrivalTimes;
use Headroom\Load\ExecutionSegment;
use Headroom\Load\Metrics\CpuTime;
use Headroom\Load\Metrics\LoadResult;
use Headroom\Load\Metrics\Metrics;
use Headroom\Load\Metrics\PartialResult;
use Headroom\Load\Metrics\ProcessCpuTime;
use Headroom\Load\Metrics\ProgressListener;
use Headroom\Load\Observer;
use Headroom\Load\Plan;
use Headroom\Load\Replay\AccessLogReplay;
use Headroom\Load\RequestSource;
use Headroom\Load\Scenario\Scenario;
use Headroom\Load\Transport\Client;
use Headroom\Load\UnableToLoad;
use Headroom\Load\UnableToReach;

/**
 * Sends the requests of a plan. It uses no proxy of the environment and follows no redirect.
 */
final class LoadGenerator
{
    /**
     * Connections planned for one process, below FD_SETSIZE.
     *
     * @internal
     */
    public const MOST_CONNECTIONS = 960;

    /** Files that the console and the libraries have open. */
    private const OTHER_FILES = 40;

    /** PHP's stream_select() accepts descriptors below FD_SETSIZE, which is 1,024 in glibc and musl. */
    private const SELECTABLE_FILES = 1_024;

    private ?Engine $engine = null;

    private bool $isStopped = false;

    public function __construct(
        private readonly Clock $clock = new SystemClock,
        private readonly CpuTime $cpu = new ProcessCpuTime,
    ) {}

    /** @throws UnableToLoad */
    public function run(
        Plan $plan,
        RequestSource $source,
        ?Observer $observer = null,
        ?ProgressListener $listener = null,
    ): LoadResult {
        return LoadResult::of($plan, [$this->measure($plan, $source, ExecutionSegment::whole(), $observer, $listener)]);
    }

    /**
     * @internal
     *
     * @param ?int $start the time of Clock::monotonicNanos() at which the run starts; null for now
     * @param bool $demandsHttp whether a server that never responds, or not with HTTP, ends the run
     *
     * @throws UnableToLoad
     * @throws UnableToReach
     */
    public function measure(
        Plan $plan,
        RequestSource|Scenario $source,
        ExecutionSegment $segment,
        ?Observer $observer = null,
        ?ProgressListener $listener = null,
        ?int $start = null,
        bool $demandsHttp = false,
    ): PartialResult {
        $this->isStopped = false;
        self::requireDescriptors($plan, $segment);

        $metrics = new Metrics($plan);
        $server = new ServerInfo;
        $executor = self::executor($plan, $source, $segment);
        $vus = new VirtualUsers($plan, $source, $executor, $metrics, $observer, $server, $segment, $this->clock);
        $most = $segment->count($plan->mostInFlight());
        $client = new Client($this->clock, $plan->timeout, $plan->insecure, max(1, $most));
        $monitor = $demandsHttp ? new ReachabilityMonitor($most) : null;
        $engine = $this->engine = new Engine($plan, $vus, $client, $metrics, $listener, $this->clock, $monitor);

        // A signal may have called stop() before the engine existed.
        if ($this->wasStopped()) {
            $engine->stop();
        }

        $start ??= $this->clock->monotonicNanos();
        $this->clock->sleep(max(0, intdiv($start - $this->clock->monotonicNanos(), 1_000)));
        $cpu = $this->cpu->micros();

        try {
            $end = $engine->run($start);
        } finally {
            $this->engine = null;
        }

        $seconds = ($this->clock->monotonicNanos() - $start) / 1e9;
        $metrics->server = $server->server();
        $metrics->location = $server->location();
        $metrics->dropped = $executor instanceof ArrivalRate ? $executor->dropRemaining($end) : 0;
        $metrics->log = $source instanceof AccessLogReplay ? $source->log() : null;

        return new PartialResult($metrics, $seconds, ($this->cpu->micros() - $cpu) / 1e6, $engine->isStopped(), $start);
    }

    /** For signal handlers and observers: the run ends at once, and requests in flight count as unfinished. */
    public function stop(): void
    {
        $this->isStopped = true;
        $this->engine?->stop();
    }

    private function wasStopped(): bool
    {
        return $this->isStopped;
    }

    /**
     * @internal
     *
     * @throws UnableToLoad
     */
    public static function requireDescriptors(Plan $plan, ExecutionSegment $segment): void
    {
        $connections = $segment->count($plan->mostInFlight());
        $open = @scandir('/proc/self/fd');
        $others = max(self::OTHER_FILES, $open === false ? 0 : count($open));
        $limits = function_exists('posix_getrlimit') ? posix_getrlimit() : false;
        $limit = $limits === false ? null : $limits['soft openfiles'];

        // A new file gets the lowest free number, so this many sockets get a number below the limit.
        $most = self::SELECTABLE_FILES - $others;

        if ($connections > $most) {
            throw UnableToLoad::tooManyConnections($connections, $most, self::fewestProcesses($connections));
        }

        if (is_numeric($limit) && (int) $limit < $connections + $others) {
            throw UnableToLoad::tooFewFiles($connections, $connections + $others, (int) $limit);
        }
    }

    /**
     * The number of processes that this many connections need at least.
     *
     * @internal
     */
    public static function fewestProcesses(int $connections): int
    {
        return intdiv($connections + self::MOST_CONNECTIONS - 1, self::MOST_CONNECTIONS);
    }

    private static function executor(
        Plan $plan,
        RequestSource|Scenario $source,
        ExecutionSegment $segment,
    ): Executor {
        if ($plan->isOpen) {
            $times = $plan->stages
                ?? ($source instanceof ArrivalTimes ? $source : throw UnableToLoad::noArrivalTimes());

            return new ArrivalRate($times, $plan->concurrency, $segment);
        }

        return $plan->stages === null
            ? new ConstantVus($plan->mostInFlight(), $plan->pause, $segment)
            : new RampingVus($plan->stages, $plan->pause, $segment);
    }
}
