<?php

declare(strict_types=1);

namespace Headroom\Load\Curl;

use CurlHandle;
use CurlMultiHandle;
use Headroom\Core\Clock;
use Headroom\Load\Plan;
use Headroom\Load\Tally;
use Headroom\Load\UnableToLoad;
use Headroom\Load\Watcher;

/**
 * All users of one run on one curl_multi.
 *
 * @internal
 */
final class Engine
{
    /** A request to stop may wait this long when nothing else happens. */
    private const LONGEST_WAIT_NANOS = 250_000_000;

    private const PAUSE_MICROS = 500;

    private const LOOK_MICROS = 100;

    private const SHOW_NANOS = 500_000_000;

    private readonly CurlMultiHandle $multi;

    /** @var array<int, CurlHandle> by their object ids */
    private array $inFlight = [];

    private bool $stop = false;

    private int $started = 0;

    private int $nextShow = self::SHOW_NANOS;

    /** Nanoseconds from the start of the run, as all times here are. */
    private int $deadline;

    /** @param int $connections as many as may be needed at once */
    public function __construct(
        Plan $plan,
        private readonly Crowd $crowd,
        private readonly Tally $tally,
        private readonly ?Watcher $watcher,
        private readonly Clock $clock,
        int $connections,
    ) {
        // What was due in time is waited for; the timeout sees to its end.
        $this->deadline = $plan->seconds === null || $plan->isOpen ? PHP_INT_MAX : (int) ($plan->seconds * 1e9);
        $this->multi = curl_multi_init();
        // As many kept connections as users, or those above libcurl's own idea of a cache would be closed after use.
        curl_multi_setopt($this->multi, CURLMOPT_MAXCONNECTS, $connections);
        curl_multi_setopt($this->multi, CURLMOPT_PIPELINING, CURLPIPE_NOTHING);
    }

    public function stop(): void
    {
        $this->stop = true;
    }

    /**
     * @param int $started what the clock said, or will say, when the run begins
     * @return int when it ended
     */
    public function run(int $started): int
    {
        $this->started = $started;
        $now = 0;

        try {
            for (; ! $this->stop && $now < $this->deadline; $now = $this->now()) {
                $this->tally->advance($now, count($this->inFlight));

                if ($this->watcher !== null && $now >= $this->nextShow) {
                    $this->watcher->watch($this->tally->progress($now / 1e9, count($this->inFlight)));
                    $this->nextShow = $now + self::SHOW_NANOS;
                }

                $this->startDue($now);

                if ($this->inFlight !== []) {
                    $this->work();
                } elseif ($this->crowd->next() === PHP_INT_MAX) {
                    break;
                } else {
                    $this->clock->sleep(1 + $this->microsUntilNext($this->now()));
                }
            }

            $this->tally->advance(min($now, $this->deadline - 1), count($this->inFlight));
            $this->tally->unfinished = count($this->inFlight);

            return $now;
        } finally {
            $this->giveUp();
        }
    }

    public function isStopped(): bool
    {
        return $this->stop;
    }

    private function now(): int
    {
        return $this->clock->monotonicNanos() - $this->started;
    }

    /** Right before libcurl works, so that whatever counts as unfinished in the end has really been begun. */
    private function startDue(int $now): void
    {
        while (($handle = $this->crowd->start($now)) !== null) {
            $this->inFlight[spl_object_id($handle)] = $handle;
            curl_multi_add_handle($this->multi, $handle);
        }
    }

    private function work(): void
    {
        $code = curl_multi_exec($this->multi, $running);

        if ($code !== CURLM_OK) {
            throw UnableToLoad::stuck((string) curl_multi_strerror($code));
        }

        // Users who were just given a request are served before anybody waits.
        if ($this->takeEnded() === 0) {
            $this->wait();
        }
    }

    private function takeEnded(): int
    {
        $ended = 0;
        $now = null;

        while (is_array($message = curl_multi_info_read($this->multi))) {
            /** @var array{result: int, handle: CurlHandle} $message */
            $now ??= $this->now();
            $handle = $message['handle'];
            unset($this->inFlight[spl_object_id($handle)]);
            curl_multi_remove_handle($this->multi, $handle);
            $this->crowd->ended($handle, $message['result'], $now);
            $ended++;
        }

        return $ended;
    }

    private function wait(): void
    {
        $began = $this->now();
        $micros = $this->microsUntilNext($began);

        if ($micros < 1_000) {
            // curl_multi_select() waits for whole milliseconds: what is due sooner is waited for in between looks at the sockets.
            $this->clock->sleep(min($micros, self::LOOK_MICROS));

            return;
        }

        $ready = curl_multi_select($this->multi, intdiv($micros, 1_000) / 1_000);

        // While it has no socket yet (a name is being looked up), libcurl may return at once: no busy loop then.
        if ($ready < 1 && $this->now() - $began < self::PAUSE_MICROS * 1_000) {
            $this->clock->sleep(self::PAUSE_MICROS);
        }
    }

    /** Until there is something to do that no socket tells of. */
    private function microsUntilNext(int $now): int
    {
        $next = min($this->deadline, $this->crowd->next());

        return $next - $now > self::LONGEST_WAIT_NANOS ? intdiv(self::LONGEST_WAIT_NANOS, 1_000) : max(0, intdiv($next - $now, 1_000));
    }

    private function giveUp(): void
    {
        foreach ($this->inFlight as $handle) {
            curl_multi_remove_handle($this->multi, $handle);
        }

        $this->inFlight = [];
        curl_multi_close($this->multi);
    }
}
