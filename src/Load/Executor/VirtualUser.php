<?php

declare(strict_types=1);

namespace Headroom\Load\Executor;

use Headroom\Core\Clock;
use Headroom\Load\Failure;
use Headroom\Load\Metrics\FailedCheck;
use Headroom\Load\Metrics\Metrics;
use Headroom\Load\Observer;
use Headroom\Load\Outcome;
use Headroom\Load\Plan;
use Headroom\Load\Request;
use Headroom\Load\Scenario\Scenario;
use Headroom\Load\Scenario\Step;
use Headroom\Load\Transport\CookieJar;
use Headroom\Load\Transport\EncodedRequest;
use Headroom\Load\Transport\Exchange;

/**
 * One virtual user: the request that it has in flight and, in a scenario, its cookies and captured values. An iteration
 * is one request of a source, or the steps of a scenario up to the first that fails, because later steps depend on it.
 *
 * @internal
 */
final class VirtualUser
{
    /** Kept of a response body from which values are captured. */
    private const CAPTURE_BYTES = 1_048_576;

    public readonly Exchange $exchange;

    private readonly CookieJar $cookies;

    private int $iteration = 0;

    private int $nextStep = 0;

    /** @var array<string, string> by variable */
    private array $values = [];

    private ?Request $request = null;

    private int $delay = 0;

    private ?BodyCapture $capture;

    public function __construct(
        private readonly Plan $plan,
        private readonly ?Scenario $scenario,
        private readonly Metrics $metrics,
        private readonly ServerInfo $server,
        private readonly ?Observer $observer,
        Clock $clock,
    ) {
        $this->exchange = new Exchange;
        $this->cookies = new CookieJar($clock);
        $this->capture = BodyCapture::of($plan->keepBytes, $plan->expected?->body);
    }

    /** @param int $delay microseconds since the request was due */
    public function prepareRequest(int $number, Request $request, EncodedRequest $message, int $delay): void
    {
        $this->iteration = $number;
        $this->request = $request;
        $this->delay = $delay;
        $this->capture?->reset();
        $this->exchange->prepare($message, $this->capture);
    }

    /** Starts an iteration of the scenario. */
    public function startIteration(int $number): void
    {
        $this->iteration = $number;
        $this->nextStep = 0;
        $this->values = $this->scenario?->values($number) ?? [];

        if ($this->scenario?->keepsCookies === false) {
            $this->cookies->clear();
        }
    }

    public function hasNextStep(): bool
    {
        return $this->step() !== null;
    }

    /** @param int $delay microseconds since the iteration was due; 0 for all steps but the first */
    public function prepareStep(int $delay): void
    {
        $step = $this->step();

        if ($step === null) {
            return;
        }

        $this->delay = $delay;
        $this->request = $step->request($this->iteration, $this->values);
        $this->metrics->iterations?->sent($this->nextStep);
        $this->capture = BodyCapture::of(
            $step->captures === [] ? $this->plan->keepBytes : self::CAPTURE_BYTES,
            $step->expectedText($this->plan),
        );
        $this->exchange->prepare(
            EncodedRequest::of($this->request, $this->cookies->header($this->request->target)),
            $this->capture,
        );
    }

    /** @return int think time in nanoseconds before the next step or the end of the iteration */
    public function finish(int $inFlight): int
    {
        $step = $this->step();
        $exchange = $this->exchange;
        $micros = $exchange->micros();
        $failure = $exchange->failure;
        $isAccepted = $failure === null
            && ($step === null
                ? $this->plan->accepts($exchange->status)
                : $step->accepts($exchange->status, $this->plan));
        $this->metrics->exchanged($exchange);

        if ($failure === null) {
            $check = $isAccepted ? $this->checkAndCapture($step) : null;
            $failure = $this->metrics->responded($exchange->status, $micros, $this->delay, $check, $isAccepted);
        } else {
            $this->metrics->failed($failure, $exchange->message, $micros, $this->delay);
        }

        $this->server->observe($exchange->head);
        $this->notify($step, $failure, $failure === null && $isAccepted, $inFlight);

        return $step === null ? 0 : $this->finishStep($step, $failure, $isAccepted, $micros);
    }

    private function step(): ?Step
    {
        return $this->scenario?->steps[$this->nextStep] ?? null;
    }

    /** @return ?FailedCheck what the response body lacks; the values that the step captures are taken from it */
    private function checkAndCapture(?Step $step): ?FailedCheck
    {
        if ($this->capture === null || $this->request === null) {
            return null;
        }

        $failed = $this->capture->failedCheck($this->request);

        if ($failed !== null || $step === null) {
            return $failed;
        }

        foreach ($step->captures as $capture) {
            $value = $capture->from($this->capture->body());
            $obstacle = $this->capture->obstacle($this->request, $value !== null);

            if ($obstacle !== null) {
                return FailedCheck::notDecoded($obstacle);
            }

            if ($value === null) {
                return FailedCheck::nothingToCapture($capture->name, $this->capture->extent());
            }

            $this->values[$capture->name] = $value;
        }

        return null;
    }

    private function notify(?Step $step, ?Failure $failure, bool $isGood, int $inFlight): void
    {
        if ($this->observer === null || $this->request === null) {
            return;
        }

        $this->observer->finished($this->iteration, $this->request, $this->exchange->response(
            $failure,
            substr($this->capture?->body() ?? '', 0, $this->plan->keepBytes),
            $this->delay,
            $inFlight,
            $step?->name,
            $step === null ? null : $isGood,
        ));
    }

    private function finishStep(Step $step, ?Failure $failure, bool $isAccepted, int $micros): int
    {
        $steps = count($this->scenario->steps ?? []);
        $isTimed = $failure === null || $failure->isOfResponse() || $failure->outcome() === Outcome::Timeout;
        $error = match (true) {
            $failure !== null => $failure->value,
            $isAccepted => null,
            default => "status_{$this->exchange->status}",
        };
        $this->cookies->take($this->exchange->head, $this->exchange->target);
        $this->metrics->iterations?->finished($this->nextStep, $error, $isTimed ? $micros + $this->delay : null);
        $this->nextStep = $error === null ? $this->nextStep + 1 : $steps;

        return $step->thinkTime->nanos();
    }
}
