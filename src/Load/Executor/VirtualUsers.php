<?php

declare(strict_types=1);

namespace Headroom\Load\Executor;

use Headroom\Core\Clock;
use Headroom\Load\ExecutionSegment;
use Headroom\Load\Metrics\Metrics;
use Headroom\Load\Observer;
use Headroom\Load\Plan;
use Headroom\Load\Request;
use Headroom\Load\RequestSource;
use Headroom\Load\Scenario\Scenario;
use Headroom\Load\Transport\EncodedRequest;
use Headroom\Load\Transport\Exchange;
use SplMinHeap;

/**
 * The virtual users of one process. The executor starts iterations; inside a scenario, responses and think times start
 * the next step. Times are nanoseconds from the start of the run.
 *
 * @internal
 */
final class VirtualUsers
{
    /** @var array<int, VirtualUser> with a request in flight, by the object id of their exchange */
    private array $busy = [];

    /** @var list<VirtualUser> between two iterations */
    private array $free = [];

    /** @var array<int, VirtualUser> in a think time, by the number of the think time */
    private array $thinking = [];

    /** @var SplMinHeap<array{int, int}> end and number of the think times before another step */
    private readonly SplMinHeap $beforeStep;

    /** @var SplMinHeap<array{int, int}> end and number of the think times at the end of an iteration */
    private readonly SplMinHeap $atEnd;

    private int $thinkTimes = 0;

    private int $started = 0;

    /** Most runs send one request again and again: it is encoded once. */
    private ?Request $request = null;

    private ?EncodedRequest $message = null;

    private readonly ?Scenario $scenario;

    private readonly ?int $requests;

    /** In the open model, no iteration is due from this time on. */
    private readonly int $end;

    private bool $isExhausted;

    public function __construct(
        private readonly Plan $plan,
        private readonly RequestSource|Scenario $source,
        private readonly Executor $executor,
        private readonly Metrics $metrics,
        private readonly ?Observer $observer,
        private readonly ServerInfo $server,
        private readonly ExecutionSegment $segment,
        private readonly Clock $clock,
    ) {
        $this->beforeStep = new SplMinHeap;
        $this->atEnd = new SplMinHeap;
        $this->scenario = $source instanceof Scenario ? $source : null;
        $metrics->iterations = $this->scenario?->iterations();
        $this->requests = $plan->requests === null ? null : $segment->count($plan->requests);
        $this->end = $plan->isOpen && $plan->seconds !== null ? (int) ($plan->seconds * 1e9) : PHP_INT_MAX;
        $this->isExhausted = $this->requests === 0;
    }

    /** @return ?Exchange a request that must start by now, ready to send; null if no request is due */
    public function start(int $now): ?Exchange
    {
        $exchange = $this->scenario === null ? null : $this->resume($now);

        if ($exchange !== null) {
            return $exchange;
        }

        $due = $this->isExhausted ? null : $this->executor->start($now);

        if ($due === null) {
            $this->isExhausted = $this->isExhausted || $now >= $this->end;

            return null;
        }

        $delay = intdiv($now - $due, 1_000);
        $vu = array_pop($this->free) ?? new VirtualUser(
            $this->plan,
            $this->scenario,
            $this->metrics,
            $this->server,
            $this->observer,
            $this->clock,
        );

        if (! $this->prepare($vu, $this->segment->number($this->started), $delay)) {
            $this->isExhausted = true;

            return null;
        }

        // After the last iteration no pause is waited for.
        $this->isExhausted = ++$this->started === $this->requests;
        $exchange = $this->track($vu, $delay);
        $this->metrics->iterations?->began(count($this->busy) + count($this->thinking));

        return $exchange;
    }

    /** A request that start() returned has ended. */
    public function ended(Exchange $exchange, int $now): void
    {
        $vu = $this->busy[spl_object_id($exchange)];
        unset($this->busy[spl_object_id($exchange)]);
        $think = $vu->finish(count($this->busy) + 1);

        if ($think === 0 && ! $vu->hasNextStep()) {
            $this->release($vu, $now);
        } else {
            $this->thinking[++$this->thinkTimes] = $vu;
            ($vu->hasNextStep() ? $this->beforeStep : $this->atEnd)->insert([$now + $think, $this->thinkTimes]);
        }
    }

    /** The time of the next call of start() if no request ends before; PHP_INT_MAX for never. */
    public function nextStart(): int
    {
        $step = self::firstEnd($this->beforeStep);

        // A think time at the end of an iteration matters only if another iteration may need the virtual user.
        return $this->isExhausted
            ? $step
            : min(
                $step,
                $this->executor->nextStart(),
                $this->atEnd->isEmpty() ? PHP_INT_MAX : min(self::firstEnd($this->atEnd), $this->end),
            );
    }

    /** @return bool false if the source has no more requests */
    private function prepare(VirtualUser $vu, int $number, int $delay): bool
    {
        if ($this->source instanceof Scenario) {
            $vu->startIteration($number);
            $vu->prepareStep($delay);

            return true;
        }

        $request = $this->source->next($number);

        if ($request === null) {
            return false;
        }

        if ($request !== $this->request || $this->message === null) {
            $this->request = $request;
            $this->message = EncodedRequest::of($request);
        }

        $vu->prepareRequest($number, $request, $this->message, $delay);

        return true;
    }

    /** @return ?Exchange the next step of a scenario whose think time is over */
    private function resume(int $now): ?Exchange
    {
        while (($vu = $this->woken($this->atEnd, $now)) !== null) {
            $this->release($vu, $now);
        }

        $vu = $this->woken($this->beforeStep, $now);

        if ($vu === null) {
            return null;
        }

        $vu->prepareStep(0);

        return $this->track($vu, null);
    }

    /** @param SplMinHeap<array{int, int}> $thinkTimes */
    private static function firstEnd(SplMinHeap $thinkTimes): int
    {
        return $thinkTimes->isEmpty() ? PHP_INT_MAX : $thinkTimes->top()[0];
    }

    /**
     * @param SplMinHeap<array{int, int}> $thinkTimes
     * @return ?VirtualUser the one whose think time ended first
     */
    private function woken(SplMinHeap $thinkTimes, int $now): ?VirtualUser
    {
        if (self::firstEnd($thinkTimes) > $now) {
            return null;
        }

        [, $number] = $thinkTimes->extract();
        $vu = $this->thinking[$number];
        unset($this->thinking[$number]);

        return $vu;
    }

    /**
     * @param ?int $delay microseconds since the iteration was due; null for a step after the first,
     *     which has no due time
     */
    private function track(VirtualUser $vu, ?int $delay): Exchange
    {
        $this->busy[spl_object_id($vu->exchange)] = $vu;
        $this->metrics->started(count($this->busy), $delay);

        return $vu->exchange;
    }

    private function release(VirtualUser $vu, int $now): void
    {
        $this->free[] = $vu;
        $this->executor->ended($now);
    }
}
