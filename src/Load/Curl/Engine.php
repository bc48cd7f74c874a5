<?php

declare(strict_types=1);

namespace Headroom\Load\Curl;

use CurlHandle;
use CurlMultiHandle;
use Headroom\Core\Clock;
use Headroom\Load\Observer;
use Headroom\Load\Plan;
use Headroom\Load\RequestSource;
use Headroom\Load\Tally;
use Headroom\Load\UnableToLoad;
use SplQueue;

/**
 * All users of one run on one curl_multi.
 *
 * @internal
 */
final class Engine
{
    /** A request to stop may wait this long when nothing else happens. */
    private const LONGEST_WAIT = 0.25;

    private const PAUSE_MICROS = 500;

    private readonly CurlMultiHandle $multi;

    /** @var array<int, User> those with a request in flight, by the object id of their handle */
    private array $busy = [];

    /** @var SplQueue<array{User, int}> with the time from which on each has its next request; in the order of these times */
    private SplQueue $idle;

    private int $next = 0;

    private bool $exhausted = false;

    private bool $stop = false;

    private int $deadline = PHP_INT_MAX;

    public function __construct(
        private readonly Plan $plan,
        private readonly RequestSource $source,
        private readonly Tally $tally,
        private readonly ?Observer $observer,
        private readonly Clock $clock,
    ) {
        $this->idle = new SplQueue;
        $this->multi = curl_multi_init();
        // As many kept connections as users, or those above libcurl's own idea of a cache would be closed after use.
        curl_multi_setopt($this->multi, CURLMOPT_MAXCONNECTS, $plan->concurrency);
        curl_multi_setopt($this->multi, CURLMOPT_PIPELINING, CURLPIPE_NOTHING);
    }

    public function stop(): void
    {
        $this->stop = true;
    }

    /** @return bool whether it was stopped before its end */
    public function run(): bool
    {
        if ($this->plan->seconds !== null) {
            $this->deadline = $this->clock->monotonicNanos() + (int) ($this->plan->seconds * 1e9);
        }

        try {
            $this->placeUsers();

            while (! $this->stop && $this->clock->monotonicNanos() < $this->deadline) {
                $this->startIdle();

                if ($this->busy !== []) {
                    $this->work();
                } elseif ($this->exhausted) {
                    break;
                } else {
                    $this->clock->sleep((int) ceil(1e6 * $this->untilNext()));
                }
            }

            $this->tally->unfinished = count($this->busy);

            return $this->stop;
        } finally {
            $this->giveUp();
        }
    }

    /** Those that pause begin evenly over the first pause, or they would all come at once again and again. */
    private function placeUsers(): void
    {
        $users = min($this->plan->concurrency, $this->plan->samples ?? PHP_INT_MAX);
        $now = $this->clock->monotonicNanos();

        for ($number = 0; $number < $users; $number++) {
            $this->idle->enqueue([new User($this->plan), $now + (int) ($this->plan->pause * 1e9 * $number / $users)]);
        }
    }

    /** Right before libcurl works, so that whatever counts as unfinished in the end has really been begun. */
    private function startIdle(): void
    {
        $now = $this->plan->pause > 0.0 ? $this->clock->monotonicNanos() : PHP_INT_MAX;

        while (! $this->idle->isEmpty() && $this->idle->bottom()[1] <= $now) {
            [$user] = $this->idle->dequeue();
            $request = $this->exhausted || $this->next === $this->plan->samples ? null : $this->source->next($this->next);

            if ($request === null) {
                $this->exhausted = true;

                break;
            }

            $user->prepare($this->next++, $request);
            // Nobody waits through a pause for nothing.
            $this->exhausted = $this->next === $this->plan->samples;
            $this->busy[spl_object_id($user->handle)] = $user;
            curl_multi_add_handle($this->multi, $user->handle);
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

        while (is_array($message = curl_multi_info_read($this->multi))) {
            /** @var array{result: int, handle: CurlHandle} $message */
            $user = $this->release($message['handle']);
            $user->settle($message['result'], $this->tally, $this->observer);
            $this->idle->enqueue([$user, $this->plan->pause > 0.0 ? $this->clock->monotonicNanos() + (int) ($this->plan->pause * 1e9) : 0]);
            $ended++;
        }

        return $ended;
    }

    private function release(CurlHandle $handle): User
    {
        $user = $this->busy[spl_object_id($handle)];
        unset($this->busy[spl_object_id($handle)]);
        curl_multi_remove_handle($this->multi, $handle);

        return $user;
    }

    private function wait(): void
    {
        $now = $this->clock->monotonicNanos();
        $ready = curl_multi_select($this->multi, max(0.001, $this->untilNext()));

        // While it has no socket yet (a name is being looked up), libcurl may return at once: no busy loop then.
        if ($ready < 1 && $this->clock->monotonicNanos() - $now < self::PAUSE_MICROS * 1_000) {
            $this->clock->sleep(self::PAUSE_MICROS);
        }
    }

    /** Seconds until there is something to do that no socket tells of. */
    private function untilNext(): float
    {
        $now = $this->clock->monotonicNanos();
        $next = $this->exhausted || $this->idle->isEmpty() ? PHP_INT_MAX : $this->idle->bottom()[1];

        return max(0.0, min(self::LONGEST_WAIT, ($this->deadline - $now) / 1e9, ($next - $now) / 1e9));
    }

    private function giveUp(): void
    {
        foreach ($this->busy as $user) {
            curl_multi_remove_handle($this->multi, $user->handle);
        }

        $this->busy = [];
        curl_multi_close($this->multi);
    }
}
