<?php

declare(strict_types=1);

namespace Headroom\Load;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Load\Replay\LogRequests;
use Headroom\Load\Run\Arrivals;
use Headroom\Load\Run\Engine;
use Headroom\Load\Run\FirstAnswer;
use Headroom\Load\Run\Requests;
use Headroom\Load\Run\Users;
use Headroom\Load\Run\Visits;
use Headroom\Load\Scenario\Scenario;
use Headroom\Load\Transport\Client;

/**
 * Sends what the plan says and nothing else: no proxy of the environment, no redirect followed.
 */
final class Generator
{
    /**
     * Connections that one process can have for sure.
     *
     * @internal
     */
    public const MOST_CONNECTIONS = 960;

    /** The console and the libraries have files open too. */
    private const OTHER_FILES = 40;

    /** PHP's stream_select() sees files whose numbers are below this: FD_SETSIZE of glibc and musl. */
    private const WATCHED_FILES = 1_024;

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
        ?Watcher $watcher = null,
    ): LoadResult {
        return LoadResult::of($plan, [$this->measure($plan, $source, Share::whole(), $observer, $watcher)]);
    }

    /**
     * @internal
     *
     * @param ?int $start when the run begins, as Clock::monotonicNanos() tells it; null for now
     * @param bool $demandsHttp whether a server that turns out to speak no HTTP ends the run
     *
     * @throws UnableToLoad
     * @throws UnableToReach
     */
    public function measure(
        Plan $plan,
        RequestSource|Scenario $source,
        Share $share,
        ?Observer $observer = null,
        ?Watcher $watcher = null,
        ?int $start = null,
        bool $demandsHttp = false,
    ): Measurement {
        $this->isStopped = false;
        self::demandFiles($plan, $share);

        $tally = new Tally($plan);
        $answer = new FirstAnswer;
        $arrivals = $plan->isOpen ? new Arrivals(self::times($plan, $source), $plan->concurrency, $share) : null;
        $pace = $arrivals ?? new Users($plan, $share);
        $crowd = $source instanceof Scenario
            ? new Visits($plan, $source, $pace, $tally, $observer, $answer, $share, $this->clock)
            : new Requests($plan, $source, $pace, $tally, $observer, $answer, $share);
        $client = new Client(
            $this->clock,
            $plan->timeout,
            $plan->insecure,
            max(1, $share->count($plan->mostInFlight())),
        );
        $engine = $this->engine = new Engine($plan, $crowd, $client, $tally, $watcher, $this->clock, $demandsHttp);

        // Told while all that was made.
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
        $tally->server = $answer->server();
        $tally->location = $answer->location();
        $tally->dropped = $arrivals?->drop($end) ?? 0;
        $tally->log = $source instanceof LogRequests ? $source->log() : null;

        return new Measurement($tally, $seconds, ($this->cpu->micros() - $cpu) / 1e6, $engine->isStopped(), $start);
    }

    /** For signal handlers and observers: the run ends at once, and what is in flight counts as unfinished. */
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
    public static function demandFiles(Plan $plan, Share $share): void
    {
        $concurrency = $share->count($plan->mostInFlight());
        $open = @scandir('/proc/self/fd');
        $others = max(self::OTHER_FILES, $open === false ? 0 : count($open));
        $limits = function_exists('posix_getrlimit') ? posix_getrlimit() : false;
        $limit = $limits === false ? null : $limits['soft openfiles'];

        // A new file gets the lowest number that is free, so this is how many sockets can have one below the limit.
        $room = self::WATCHED_FILES - $others;

        if ($concurrency > $room) {
            throw UnableToLoad::tooManyConnections($concurrency, $room);
        }

        if (is_numeric($limit) && (int) $limit < $concurrency + $others) {
            throw UnableToLoad::tooFewFiles($concurrency, $concurrency + $others, (int) $limit);
        }
    }

    /**
     * How many processes it takes at least for so many connections.
     *
     * @internal
     */
    public static function fewestProcesses(int $connections): int
    {
        return intdiv($connections + self::MOST_CONNECTIONS - 1, self::MOST_CONNECTIONS);
    }

    private static function times(Plan $plan, RequestSource|Scenario $source): DueTimes
    {
        return $plan->stages ?? ($source instanceof DueTimes ? $source : throw UnableToLoad::noTimes());
    }
}
