<?php

declare(strict_types=1);

namespace Headroom\Load\Run;

use Headroom\Core\Clock;
use Headroom\Load\Failure;
use Headroom\Load\Journeys;
use Headroom\Load\Observer;
use Headroom\Load\Outcome;
use Headroom\Load\Plan;
use Headroom\Load\Request;
use Headroom\Load\Scenario\Scenario;
use Headroom\Load\Scenario\Step;
use Headroom\Load\Tally;
use Headroom\Load\Transport\CookieJar;
use Headroom\Load\Transport\EncodedRequest;
use Headroom\Load\Transport\Exchange;
use Headroom\Load\WrongBody;

/**
 * One simulated user of a scenario: its cookies, and what it knows from the answers so far. An iteration
 * ends at the first step that does not succeed, since those that follow live on it.
 *
 * @internal
 */
final class Visitor
{
    /** Of an answer from which something is to be captured. */
    private const KEPT_BYTES = 1_048_576;

    public readonly Exchange $exchange;

    private readonly CookieJar $cookies;

    private int $number = 0;

    /** The step that comes next. */
    private int $next = 0;

    /** @var array<string, string> */
    private array $values = [];

    private ?Request $request = null;

    private int $waited = 0;

    private ?Reading $reading = null;

    public function __construct(
        private readonly Plan $plan,
        private readonly Scenario $scenario,
        private readonly Journeys $journeys,
        private readonly FirstAnswer $firstAnswer,
        Clock $clock,
    ) {
        $this->exchange = new Exchange;
        $this->cookies = new CookieJar($clock);
    }

    public function begin(int $number): void
    {
        $this->number = $number;
        $this->next = 0;
        $this->values = $this->scenario->values($number);

        if (! $this->scenario->keepsCookies) {
            $this->cookies->clear();
        }
    }

    public function hasNext(): bool
    {
        return isset($this->scenario->steps[$this->next]);
    }

    /** @param int $waited microseconds since the iteration was due; 0 for all but its first step */
    public function prepare(int $waited): void
    {
        $step = $this->step();
        $this->waited = $waited;
        $this->request = $step->request($this->number, $this->values);
        $tally = $this->journeys->steps[$this->next];
        $tally->sent++;
        $this->reading = Reading::of(
            $step->captures === [] ? $this->plan->keepBytes : self::KEPT_BYTES,
            $step->expectedText($this->plan),
        );
        $this->exchange->prepare(
            EncodedRequest::of($this->request, $this->cookies->header($this->request->target)),
            $this->reading,
        );
    }

    /**
     * @return int nanoseconds to think before the next step, or before the user is free again
     */
    public function settle(Tally $tally, ?Observer $observer, int $inFlight): int
    {
        $step = $this->step();
        $exchange = $this->exchange;
        $micros = $exchange->micros();
        $tally->took($exchange);
        $this->cookies->take($exchange->head, $exchange->target);
        $failure = $exchange->failure;
        $isAccepted = $failure === null && $step->accepts($exchange->status, $this->plan);

        if ($failure === null) {
            $failure = $tally->judged(
                $exchange->status,
                $isAccepted,
                $isAccepted ? $this->wrong($step) : null,
                $micros,
                $this->waited,
            );
        } else {
            $tally->failed($failure, $exchange->message, $micros, $this->waited);
        }

        $this->count($failure, $isAccepted, $exchange->status, $micros + $this->waited);

        if ($this->firstAnswer->isWanted()) {
            $this->firstAnswer->take($exchange->head);
        }

        if ($observer !== null && $this->request !== null) {
            $body = substr($this->reading?->body() ?? '', 0, $this->plan->keepBytes);
            $observer->finished(
                $this->number,
                $this->request,
                $exchange->response(
                    $failure,
                    $body,
                    $this->waited,
                    $inFlight,
                    $step->name,
                    $failure === null && $isAccepted,
                ),
            );
        }

        $this->next = $failure === null && $isAccepted ? $this->next + 1 : count($this->scenario->steps);

        return $step->think->nanos();
    }

    private function step(): Step
    {
        return $this->scenario->steps[$this->next];
    }

    /** Takes from the answer what the step wants; what is wrong with it when that is not there. */
    private function wrong(Step $step): ?WrongBody
    {
        if ($this->reading === null || $this->request === null) {
            return null;
        }

        $wrong = $this->reading->wrong($this->request);

        if ($wrong !== null) {
            return $wrong;
        }

        foreach ($step->captures as $capture) {
            $value = $capture->from($this->reading->body());

            $obstacle = $this->reading->obstacle($this->request, $value !== null);

            if ($obstacle !== null) {
                return WrongBody::notDecoded($obstacle);
            }

            if ($value === null) {
                return WrongBody::nothingToCapture($capture->name, $this->reading->extent());
            }

            $this->values[$capture->name] = $value;
        }

        return null;
    }

    private function count(?Failure $failure, bool $isAccepted, int $status, int $micros): void
    {
        $tally = $this->journeys->steps[$this->next];
        $isAnswered = $failure === null || $failure->isOfAnswer();

        if ($isAnswered || $failure->outcome() === Outcome::Timeout) {
            $tally->latency->record($micros);
        }

        if ($failure === null && $isAccepted) {
            $tally->succeeded++;
            $this->journeys->completed += $this->next === count($this->scenario->steps) - 1 ? 1 : 0;
        } else {
            $tally->failed($failure === null ? "status_{$status}" : $failure->value);
            $this->journeys->failed++;
        }
    }
}
