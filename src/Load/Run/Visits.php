<?php

declare(strict_types=1);

namespace Headroom\Load\Run;

use Headroom\Core\Clock;
use Headroom\Load\Journeys;
use Headroom\Load\Observer;
use Headroom\Load\Plan;
use Headroom\Load\Scenario\Scenario;
use Headroom\Load\Share;
use Headroom\Load\Tally;
use Headroom\Load\Transport\Exchange;
use SplMinHeap;

/**
 * Users who go through a scenario. The pace says when somebody begins with it, the answers and the time to think when
 * the next step follows.
 *
 * @internal
 */
final class Visits implements Crowd
{
    /** @var array<int, Visitor> those with a request in flight, by the object id of their exchange */
    private array $busy = [];

    /** @var list<Visitor> those who are at no step */
    private array $free = [];

    /** @var array<int, Visitor> those who think, by a number */
    private array $thinking = [];

    /** @var SplMinHeap<array{int, int}> until when, and that number, of those who have a next step */
    private readonly SplMinHeap $awake;

    /** @var SplMinHeap<array{int, int}> the same of those who begin anew then, or whose place is free */
    private readonly SplMinHeap $resting;

    private int $thoughts = 0;

    private readonly Journeys $journeys;

    private readonly ?int $requests;

    /** Of an open run, when nothing is due any more. */
    private readonly int $end;

    private bool $isExhausted;

    public function __construct(
        private readonly Plan $plan,
        private readonly Scenario $scenario,
        private readonly Pace $pace,
        private readonly Tally $tally,
        private readonly ?Observer $observer,
        private readonly FirstAnswer $firstAnswer,
        private readonly Share $share,
        private readonly Clock $clock,
    ) {
        $this->awake = new SplMinHeap;
        $this->resting = new SplMinHeap;
        $this->journeys = $tally->journeys = $scenario->journeys();
        $this->requests = $plan->requests === null ? null : $share->count($plan->requests);
        $this->end = $plan->isOpen && $plan->seconds !== null ? (int) ($plan->seconds * 1e9) : PHP_INT_MAX;
        $this->isExhausted = $this->requests === 0;
    }

    public function start(int $now): ?Exchange
    {
        while (($visitor = $this->woken($this->resting, $now)) !== null) {
            $this->leave($visitor, $now);
        }

        $visitor = $this->woken($this->awake, $now);

        if ($visitor !== null) {
            return $this->send($visitor, null);
        }

        $due = $this->isExhausted ? null : $this->pace->due($now);

        if ($due === null) {
            // What was due by the end has begun or is dropped: nobody waits for a place any more.
            $this->isExhausted = $this->isExhausted || $now >= $this->end;

            return null;
        }

        $visitor = array_pop($this->free)
            ?? new Visitor($this->plan, $this->scenario, $this->journeys, $this->firstAnswer, $this->clock);
        $visitor->begin($this->share->number($this->journeys->begun++));
        $this->isExhausted = $this->journeys->begun === $this->requests;
        $exchange = $this->send($visitor, intdiv($now - $due, 1_000));
        $this->journeys->underWay = max($this->journeys->underWay, count($this->busy) + count($this->thinking));

        return $exchange;
    }

    public function ended(Exchange $exchange, int $now): void
    {
        $visitor = $this->busy[spl_object_id($exchange)];
        unset($this->busy[spl_object_id($exchange)]);
        $think = $visitor->settle($this->tally, $this->observer, count($this->busy) + 1);

        if ($think === 0 && ! $visitor->hasNext()) {
            $this->leave($visitor, $now);
        } else {
            $this->thinking[++$this->thoughts] = $visitor;
            ($visitor->hasNext() ? $this->awake : $this->resting)->insert([$now + $think, $this->thoughts]);
        }
    }

    public function next(): int
    {
        $step = self::first($this->awake);

        // Those who rest are waited for only as long as somebody may want their place.
        return $this->isExhausted
            ? $step
            : min(
                $step,
                $this->pace->next(),
                $this->resting->isEmpty() ? PHP_INT_MAX : min(self::first($this->resting), $this->end),
            );
    }

    /** @param SplMinHeap<array{int, int}> $heap */
    private static function first(SplMinHeap $heap): int
    {
        return $heap->isEmpty() ? PHP_INT_MAX : $heap->top()[0];
    }

    /**
     * @param SplMinHeap<array{int, int}> $heap
     * @return ?Visitor the first of those whose time has come
     */
    private function woken(SplMinHeap $heap, int $now): ?Visitor
    {
        if (self::first($heap) > $now) {
            return null;
        }

        [, $thought] = $heap->extract();
        $visitor = $this->thinking[$thought];
        unset($this->thinking[$thought]);

        return $visitor;
    }

    /**
     * @param ?int $waited microseconds since it was due; null for a step that follows another,
     *     and is due when that has ended
     */
    private function send(Visitor $visitor, ?int $waited): Exchange
    {
        $visitor->prepare($waited ?? 0);
        $this->busy[spl_object_id($visitor->exchange)] = $visitor;
        $this->tally->began(count($this->busy), $waited);

        return $visitor->exchange;
    }

    private function leave(Visitor $visitor, int $now): void
    {
        $this->free[] = $visitor;
        $this->pace->ended($now);
    }
}
