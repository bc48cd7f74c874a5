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

    /** @var list<User> */
    private array $idle = [];

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
            $this->idle = $this->users();

            while (! $this->stop && $this->clock->monotonicNanos() < $this->deadline) {
                $this->startIdle();

                if ($this->busy === []) {
                    break;
                }

                $this->work();
            }

            $this->tally->unfinished = count($this->busy);

            return $this->stop;
        } finally {
            $this->giveUp();
        }
    }

    /** @return list<User> */
    private function users(): array
    {
        return array_map(fn (): User => new User($this->plan), range(1, min($this->plan->concurrency, $this->plan->samples ?? PHP_INT_MAX)));
    }

    /** Right before libcurl works, so that whatever counts as unfinished in the end has really been begun. */
    private function startIdle(): void
    {
        foreach ($this->idle as $user) {
            $request = $this->exhausted || $this->next === $this->plan->samples ? null : $this->source->next($this->next);

            if ($request === null) {
                $this->exhausted = true;

                break;
            }

            $user->prepare($this->next++, $request);
            $this->busy[spl_object_id($user->handle)] = $user;
            curl_multi_add_handle($this->multi, $user->handle);
        }

        $this->idle = [];
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
        while (is_array($message = curl_multi_info_read($this->multi))) {
            /** @var array{result: int, handle: CurlHandle} $message */
            $user = $this->release($message['handle']);
            $user->settle($message['result'], $this->tally, $this->observer);
            $this->idle[] = $user;
        }

        return count($this->idle);
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
        $left = ($this->deadline - $now) / 1e9;
        $ready = curl_multi_select($this->multi, max(0.001, min(self::LONGEST_WAIT, $left)));

        // While it has no socket yet (a name is being looked up), libcurl may return at once: no busy loop then.
        if ($ready < 1 && $this->clock->monotonicNanos() - $now < self::PAUSE_MICROS * 1_000) {
            $this->clock->sleep(self::PAUSE_MICROS);
        }
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
