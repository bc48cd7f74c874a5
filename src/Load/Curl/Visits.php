<?php

declare(strict_types=1);

namespace Headroom\Load\Curl;

use CurlHandle;
use Headroom\Load\Journeys;
use Headroom\Load\Observer;
use Headroom\Load\Plan;
use Headroom\Load\Scenario\Scenario;
use Headroom\Load\Share;
use Headroom\Load\Tally;
use SplMinHeap;

/**
 * Users who go through a scenario. The pace says when somebody begins with it, the answers and the time to think when
 * the next step follows.
 *
 * @internal
 */
final class Visits implements Crowd
{
    /** @var array<int, Visitor> those with a request in flight, by the object id of their handle */
    private array $busy = [];

    /** @var list<Visitor> those who are at no step */
    private array $free = [];

    /** @var array<int, Visitor> those who think, by a number */
    private array $thinking = [];

    /** @var SplMinHeap<array{int, int}> until when, and that number */
    private readonly SplMinHeap $awake;

    private int $thoughts = 0;

    private readonly Journeys $journeys;

    private readonly ?int $samples;

    private bool $isExhausted;

    public function __construct(
        private readonly Plan $plan,
        private readonly Scenario $scenario,
        private readonly Pace $pace,
        private readonly Tally $tally,
        private readonly ?Observer $observer,
        private readonly FirstAnswer $firstAnswer,
        private readonly Share $share,
    ) {
        $this->awake = new SplMinHeap;
        $this->journeys = $tally->journeys = $scenario->journeys();
        $this->samples = $plan->samples === null ? null : $share->count($plan->samples);
        $this->isExhausted = $this->samples === 0;
    }

    public function start(int $now): ?CurlHandle
    {
        while (! $this->awake->isEmpty() && $this->awake->top()[0] <= $now) {
            [, $thought] = $this->awake->extract();
            $visitor = $this->thinking[$thought];
            unset($this->thinking[$thought]);

            if ($visitor->hasNext()) {
                return $this->send($visitor, 0);
            }

            $this->leave($visitor, $now);
        }

        if ($this->isExhausted || ($due = $this->pace->due($now)) === null) {
            return null;
        }

        $visitor = array_pop($this->free) ?? new Visitor($this->plan, $this->scenario, $this->journeys, $this->firstAnswer);
        $visitor->begin($this->share->number($this->journeys->begun++));
        $this->isExhausted = $this->journeys->begun === $this->samples;

        return $this->send($visitor, intdiv($now - $due, 1_000));
    }

    public function ended(CurlHandle $handle, int $code, int $now): void
    {
        $visitor = $this->busy[spl_object_id($handle)];
        unset($this->busy[spl_object_id($handle)]);
        $think = $visitor->settle($code, $this->tally, $this->observer, count($this->busy) + 1);

        if ($think > 0 || $visitor->hasNext()) {
            $this->thinking[++$this->thoughts] = $visitor;
            $this->awake->insert([$now + $think, $this->thoughts]);
        } else {
            $this->leave($visitor, $now);
        }
    }

    public function next(): int
    {
        return min($this->awake->isEmpty() ? PHP_INT_MAX : $this->awake->top()[0], $this->isExhausted ? PHP_INT_MAX : $this->pace->next());
    }

    /** @param int $waited microseconds since it was due */
    private function send(Visitor $visitor, int $waited): CurlHandle
    {
        $visitor->prepare($waited);
        $this->busy[spl_object_id($visitor->handle)] = $visitor;
        $this->tally->began(count($this->busy), $waited);

        return $visitor->handle;
    }

    private function leave(Visitor $visitor, int $now): void
    {
        $this->free[] = $visitor;
        $this->pace->ended($now);
    }
}
