<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector;

use Closure;
use Headroom\Dev\DelayProxy;
use Symfony\Component\Process\Process;

/**
 * A run with an index that does not answer for the middle third of the time: a stopped process is between them then.
 */
final readonly class Outage
{
    private const CLIENTS = 100;

    /** Events that wait in any second; they are not a backlog. */
    private const USUAL_SECONDS = 2;

    private const MOST_SECONDS_TO_DRAIN = 600.0;

    /**
     * The collector publishes its counters about once a second, so counts of a single second would vary by
     * themselves.
     */
    private const WINDOW_SECONDS = 5.0;

    /**
     * @param float $seconds of the outage, and of the time before and after it
     * @param Closure(string): void $log
     */
    public function __construct(private string $url, private float $seconds, private Closure $log) {}

    /** @return array<string, mixed> */
    public function run(): array
    {
        $at = parse_url($this->url);
        $proxy = DelayProxy::start((string) ($at['host'] ?? ''), (int) ($at['port'] ?? 0), 0.0);
        $index = new Index($this->url, 'outage');
        $x = null;

        try {
            $x = StackX::start(1, flushers: 1, bucket: $index->sink("http://{$proxy->host}:{$proxy->port}"));
            $client = Wrk::events(['EVENT_PREFIX' => 'outage-', 'EVENT_KEY' => $x->key(), 'EVENT_PAUSE' => '25'])
                ->start("{$x->url}/v1/events", self::CLIENTS, 3 * $this->seconds);
            $before = $this->acks($x);
            posix_kill($proxy->pid(), SIGSTOP);
            $during = $this->acks($x);
            $waiting = $x->pending();
            posix_kill($proxy->pid(), SIGCONT);
            $back = hrtime(true);
            $backlog = (int) (self::USUAL_SECONDS * array_sum($before) / max(1, count($before)));
            [$after, $caughtUp] = $this->after($x, $client, $back, $backlog);
            $result = WrkResult::fromOutput($client->getOutput().$client->getErrorOutput());
            $caughtUp ??= $this->emptied($x, $back, $backlog);
            $drained = $this->emptied($x, $back, 0);
            $x->finish();
            $x->deliverAll();
            $found = $index->tally();
        } finally {
            posix_kill($proxy->pid(), SIGCONT);
            $x?->stop();
            $index->remove();
            $proxy->stop();
        }

        $acknowledged = $result->requests - $result->refused;

        return [
            'seconds_away' => $this->seconds,
            'acks_per_second' => [
                'before' => self::side($before),
                'during' => self::side($during),
                'after' => self::side($after),
            ],
            'client' => $result->toArray(),
            'waiting_when_back' => $waiting,
            'caught_up_seconds' => $caughtUp,
            'drained_seconds' => $drained,
            'acknowledged' => $acknowledged,
            'in_index' => $found['events'],
            'lost' => max(0, $acknowledged - $found['events']),
            'double' => $found['double'],
        ];
    }

    /** @return list<float> acks per second, some seconds at a time, as the collector counts them */
    private function acks(StackX $x): array
    {
        return $this->watch($x, $this->seconds, static fn (): bool => true);
    }

    /**
     * @return array{list<float>, ?float} acks per second while the client sends, and the seconds after which the
     *     flusher kept up again
     */
    private function after(StackX $x, Process $client, int $back, int $backlog): array
    {
        $caughtUp = null;
        $acks = $this->watch($x, INF, static function () use ($x, $client, $back, $backlog, &$caughtUp): bool {
            if ($caughtUp === null && $x->pending() <= $backlog) {
                $caughtUp = round((hrtime(true) - $back) / 1e9, 1);
            }

            return $client->isRunning();
        });

        // The client ends within the last second, or before it.
        return [count($acks) > 1 ? array_slice($acks, 0, -1) : $acks, $caughtUp];
    }

    /**
     * @param Closure(): bool $continues
     * @return list<float>
     */
    private function watch(StackX $x, float $seconds, Closure $continues): array
    {
        $acks = [];
        $start = $then = hrtime(true);
        $seen = $x->accepted();

        do {
            usleep(1_000_000);
            $now = hrtime(true);
            $isOver = $now - $start >= $seconds * 1e9 || ! $continues();

            if ($isOver || $now - $then >= self::WINDOW_SECONDS * 1e9) {
                $now = hrtime(true);
                $accepted = $x->accepted();
                $acks[] = ($accepted - $seen) / (($now - $then) / 1e9);
                [$seen, $then] = [$accepted, $now];
            }
        } while (! $isOver);

        ($this->log)(sprintf(
            '  %.0f s: %.0f acks/s, slowest %.0f',
            (hrtime(true) - $start) / 1e9,
            array_sum($acks) / count($acks),
            min($acks),
        ));

        return $acks;
    }

    /** @return ?float seconds from the index's return until at most this many events wait */
    private function emptied(StackX $x, int $back, int $most): ?float
    {
        while ($x->pending() > $most) {
            if (hrtime(true) - $back > self::MOST_SECONDS_TO_DRAIN * 1e9) {
                return null;
            }

            usleep(100_000);
        }

        return round((hrtime(true) - $back) / 1e9, 1);
    }

    /**
     * @param list<float> $acks
     * @return array{mean: float, slowest: float}
     */
    private static function side(array $acks): array
    {
        return [
            'mean' => round(array_sum($acks) / max(1, count($acks)), 1),
            'slowest' => round($acks === [] ? 0.0 : min($acks), 1),
        ];
    }
}
