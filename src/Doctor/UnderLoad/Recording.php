<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad;

use Closure;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Severity;
use Headroom\Doctor\UnderLoad\Samplers\CpuSnapshot;
use Headroom\Doctor\UnderLoad\Samplers\DatabaseSnapshot;
use Headroom\Doctor\UnderLoad\Samplers\KernelSnapshot;
use Headroom\Doctor\UnderLoad\Samplers\RedisSnapshot;
use Headroom\Doctor\UnderLoad\Samplers\Snapshot;
use Headroom\Doctor\UnderLoad\Waits\Wait;
use Headroom\Doctor\UnderLoad\Waits\WaitKind;

/**
 * The samples before and during the load, on one clock.
 *
 * @internal
 */
final readonly class Recording
{
    /** Users notice this share of errors. */
    private const NOTICEABLE_ERROR_RATE = 0.01;

    /** In milliseconds. Users perceive a longer response time as slow. */
    private const SLOW_MILLIS = 500.0;

    /** With this share of busy processes, a pool is saturated. */
    private const SATURATION = 0.85;

    /** A wait with this share of the processes' time is a cause. */
    private const DOMINANT_SHARE = 0.4;

    /** In seconds. A shorter wait mostly ends before it is sampled, and no user notices it. */
    private const MIN_WAIT_SECONDS = 0.005;

    /** With no more idle CPU time than this, the CPUs are saturated: a load has pauses. */
    private const SATURATED_IDLE_SHARE = 0.1;

    /** Fewer periods of a quota, mostly of a tenth of a second, are not significant. */
    private const MIN_PERIODS = 10;

    /** The start of a load is not representative. */
    private const START_NANOS = 1_000_000_000;

    /** @var list<Snapshot> */
    public array $settled;

    public WaitShares $waits;

    /**
     * @param list<Snapshot> $before the base line
     * @param list<Snapshot> $during
     * @param ?LoadTraffic $traffic null without a load
     * @param ?int $maxChildren pm.max_children
     * @param list<MissingData> $missingData
     * @param string $database the name of the SQL server, with its address
     * @param bool $mayKeepConnections false if no nginx here keeps connections to PHP-FPM; true if one is unreadable
     */
    public function __construct(
        public array $before,
        public array $during,
        public ?LoadTraffic $traffic = null,
        public ?int $maxChildren = null,
        public array $missingData = [],
        public string $database = 'the SQL server',
        public bool $mayKeepConnections = true,
    ) {
        $from = ($during[0]->atNanos ?? 0) + self::START_NANOS;
        $settled = array_values(array_filter($during, static fn (Snapshot $sample): bool => $sample->atNanos >= $from));
        $this->settled = count($settled) < 4 ? $during : $settled;
        $this->waits = new WaitShares(array_values(array_filter(
            array_map(static fn (Snapshot $sample): ?array => $sample->waits, $this->settled),
            static fn (?array $waits): bool => $waits !== null,
        )));
    }

    public function seconds(): float
    {
        return self::between($this->settled);
    }

    /** Busy processes, on average; null if it is not known. */
    public function busy(): ?float
    {
        return $this->waits->isEmpty() ? null : $this->waits->busy();
    }

    /** Connections that no process has accepted, on average. */
    public function averageQueueLength(): ?float
    {
        $waiting = $this->queue();

        return $waiting === [] ? null : array_sum($waiting) / count($waiting);
    }

    public function maxQueueLength(): ?int
    {
        $waiting = $this->queue();

        return $waiting === [] ? null : max($waiting);
    }

    /** All processes are busy, or a connection waits for one. */
    public function isSaturated(): bool
    {
        $busy = $this->busy();

        return ($this->averageQueueLength() ?? 0.0) >= 1.0
            || ($busy !== null && $busy >= self::SATURATION * ($this->maxChildren ?? max(1.0, $this->waits->all())));
    }

    /** Requests fail, or take long, or wait. */
    public function isDegraded(): bool
    {
        return $this->traffic === null
            ? ($this->averageQueueLength() ?? 0.0) >= 1.0
            : $this->traffic->errorRate() >= self::NOTICEABLE_ERROR_RATE
                || ($this->traffic->p95Ms ?? 0.0) >= self::SLOW_MILLIS
                || ($this->traffic->requests === 0 && $this->during !== []);
    }

    /**
     * The share of the time of busy processes in such a wait; null if it is small, or if processes are free.
     *
     * @param Closure(Wait): bool $counts
     */
    public function dominantShare(Closure $counts): ?float
    {
        $share = $this->waits->share($counts);

        return $this->isSaturated() && $share >= self::DOMINANT_SHARE ? $share : null;
    }

    /**
     * Waits that could not be seen may be the cause: with them, the processes wait for as much of their time as a cause
     * needs, and a request waits for longer than a sample can miss.
     */
    public function isInconclusive(): bool
    {
        $waited = $this->waits->busy() - $this->waits->of(WaitKind::Working);

        return $this->isSaturated()
            && ! $this->waits->isWhole()
            && $waited >= self::DOMINANT_SHARE * $this->waits->busy()
            && $this->waits->of(WaitKind::Unknown) >= self::MIN_WAIT_SECONDS * ($this->perSecond() ?? 0.0);
    }

    public function severity(): Severity
    {
        return $this->isDegraded() ? Severity::High : Severity::Medium;
    }

    /** Share of all CPU time of the machine. */
    public function idle(): ?float
    {
        $ends = self::ends($this->settled, static fn (Snapshot $sample): ?CpuSnapshot => $sample->cpu);
        $all = $ends === null ? 0 : $ends[1]->all - $ends[0]->all;

        return $ends === null || $all <= 0 ? null : max(0.0, min(1.0, ($ends[1]->idle - $ends[0]->idle) / $all));
    }

    public function isCpuFull(): bool
    {
        return ($this->idle() ?? 1.0) <= self::SATURATED_IDLE_SHARE;
    }

    /** @return array<string, float> share of all CPU time of the machine, by kind of process, the most first */
    public function cpu(): array
    {
        $ends = self::ends($this->settled, static fn (Snapshot $sample): ?CpuSnapshot => $sample->cpu);
        $all = $ends === null ? 0 : $ends[1]->all - $ends[0]->all;
        $shares = [];

        foreach ($ends === null || $all <= 0 ? [] : $ends[1]->of as $kind => $ticks) {
            $shares[$kind] = max(0.0, ($ticks - ($ends[0]->of[$kind] ?? 0)) / $all);
        }

        arsort($shares);

        return $shares;
    }

    /** Requests per second by the counter of the pool, or by the load if the pool has none. */
    public function perSecond(): ?float
    {
        $counted = array_values(array_filter(
            $this->settled,
            static fn (Snapshot $sample): bool => $sample->pool?->accepted !== null,
        ));
        $seconds = self::between($counted);

        if ($seconds >= 1.0) {
            return max(0, ($counted[count($counted) - 1]->pool->accepted ?? 0) - ($counted[0]->pool->accepted ?? 0))
                / $seconds;
        }

        return $this->traffic?->perSecond;
    }

    /**
     * @return ?array{RedisSnapshot, float} what the server counted, and in how many seconds;
     *     of the only one where none is at the address
     */
    public function redis(?string $address): ?array
    {
        $peers = array_values(array_unique(array_merge(...array_map(
            static fn (Snapshot $sample): array
                => array_map(static fn (RedisSnapshot $snapshot): string => $snapshot->peer, $sample->redis),
            $this->settled,
        ))));
        $peer = in_array($address, $peers, true) ? $address : (count($peers) === 1 ? $peers[0] : null);
        $counted = $peer === null
            ? []
            : array_values(array_filter(
                $this->settled,
                static fn (Snapshot $sample): bool => $sample->redisAt($peer) !== null,
            ));
        $ends = $peer === null
            ? null
            : self::ends($counted, static fn (Snapshot $sample): ?RedisSnapshot => $sample->redisAt($peer));
        $seconds = self::between($counted);

        return $ends === null || $seconds <= 0.0 ? null : [$ends[1]->since($ends[0]), $seconds];
    }

    /** @return list<DatabaseSnapshot> */
    public function databases(): array
    {
        return array_values(array_filter(
            array_map(static fn (Snapshot $sample): ?DatabaseSnapshot => $sample->database, $this->settled),
            static fn (?DatabaseSnapshot $snapshot): bool => $snapshot !== null,
        ));
    }

    /** @param Closure(DatabaseSnapshot): ?int $counter */
    public function databasePerSecond(Closure $counter): ?float
    {
        $counted = array_values(array_filter(
            $this->settled,
            static fn (Snapshot $sample): bool => $sample->database !== null && $counter($sample->database) !== null,
        ));
        $ends = self::ends(
            $counted,
            static fn (Snapshot $sample): ?int => $sample->database === null ? null : $counter($sample->database),
        );
        $seconds = self::between($counted);

        return $ends === null || $seconds <= 0.0 ? null : max(0, $ends[1] - $ends[0]) / $seconds;
    }

    /** @param Closure(KernelSnapshot): ?int $counter */
    public function kernel(Closure $counter): ?int
    {
        $ends = self::ends(
            $this->during,
            static fn (Snapshot $sample): ?int => $sample->kernel === null ? null : $counter($sample->kernel),
        );

        return $ends === null ? null : max(0, $ends[1] - $ends[0]);
    }

    /**
     * @return ?array{int, int} periods of a quota that PHP-FPM was held back in, of all; null without a quota,
     *     or if few periods were seen
     */
    public function throttledPeriods(): ?array
    {
        $all = $this->kernel(static fn (KernelSnapshot $snapshot): ?int => $snapshot->periods);
        $throttled = $this->kernel(static fn (KernelSnapshot $snapshot): ?int => $snapshot->throttled);

        return $all === null || $throttled === null || $all < self::MIN_PERIODS ? null : [$throttled, $all];
    }

    /** @return list<Evidence> what any diagnosis rests on */
    public function evidence(): array
    {
        $window = sprintf('over %.1f s', $this->seconds());
        $busy = $this->busy();
        $idle = $this->idle();
        $evidence = [];

        if ($this->traffic !== null) {
            $evidence[] = new Evidence(
                'requests',
                "{$this->traffic->requests} ended, "
                    .sprintf('%.1f %% with an error', 100 * $this->traffic->errorRate()),
                'the load',
            );
            $evidence[] = new Evidence(
                'response time',
                $this->traffic->meanMs === null
                    ? 'nothing was answered'
                    : sprintf('%.0f ms mean, %.0f ms p95', $this->traffic->meanMs, $this->traffic->p95Ms),
                'the load, timeouts counted at their limit',
            );
        }

        if ($busy !== null) {
            $evidence[] = new Evidence(
                'busy processes',
                sprintf('%.1f of %d', $busy, $this->maxChildren ?? (int) round($this->waits->all())),
                "/proc, {$window}",
            );
            $evidence[] = new Evidence(
                'what they do',
                implode(
                    ', ',
                    array_map(
                        static fn (string $kind, float $processes): string => sprintf('%.1f %s', $processes, $kind),
                        array_keys($this->waits->kinds()),
                        $this->waits->kinds(),
                    ),
                ),
                "/proc, {$window}",
            );
        }

        if ($this->averageQueueLength() !== null) {
            $evidence[] = new Evidence(
                'waiting for a process',
                sprintf('%.1f, at most %d', $this->averageQueueLength(), $this->maxQueueLength() ?? 0),
                "ss, {$window}",
            );
        }

        if ($idle !== null) {
            $evidence[] = new Evidence('idle CPU time', sprintf('%.0f %%', 100 * $idle), "/proc/stat, {$window}");
        }

        return $evidence;
    }

    /**
     * "38 of 40 PHP-FPM processes", the number with such a wait.
     *
     * @param Closure(Wait): bool $counts
     */
    public function of(Closure $counts): string
    {
        $all = $this->maxChildren ?? (int) round($this->waits->all());
        $unseen = (int) round($this->waits->of(WaitKind::Unknown));
        $waiting = $this->waits->processes($counts);

        return $unseen === 0
            ? sprintf('%.0f of %d PHP-FPM processes', $waiting, $all)
            : sprintf(
                '%.0f of %d PHP-FPM processes that could be inspected',
                $waiting,
                max((int) round($waiting), $all - $unseen),
            );
    }

    /** ", and the CPUs are 81 % idle", or '' if they are not. */
    public function idleSuffix(): string
    {
        $idle = $this->idle();

        return $idle === null || $idle < 0.2 ? '' : sprintf(', and the CPUs are %.0f %% idle', 100 * $idle);
    }

    /** @return list<int> */
    private function queue(): array
    {
        return array_values(array_filter(
            array_map(static fn (Snapshot $sample): ?int => $sample->pool?->waiting, $this->settled),
            static fn (?int $waiting): bool => $waiting !== null,
        ));
    }

    /** @param list<Snapshot> $samples */
    private static function between(array $samples): float
    {
        return count($samples) < 2 ? 0.0 : ($samples[count($samples) - 1]->atNanos - $samples[0]->atNanos) / 1e9;
    }

    /**
     * @template T
     *
     * @param list<Snapshot> $samples
     * @param Closure(Snapshot): ?T $of
     * @return ?array{T, T} the first and the last that are known
     */
    private static function ends(array $samples, Closure $of): ?array
    {
        $first = null;
        $last = null;

        foreach ($samples as $sample) {
            $seen = $of($sample);
            $first ??= $seen;
            $last = $seen ?? $last;
        }

        return $first === null || $last === null ? null : [$first, $last];
    }
}
