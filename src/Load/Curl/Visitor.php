<?php

declare(strict_types=1);

namespace Headroom\Load\Curl;

use CurlHandle;
use Headroom\Load\Failure;
use Headroom\Load\Journeys;
use Headroom\Load\Observer;
use Headroom\Load\Outcome;
use Headroom\Load\Plan;
use Headroom\Load\Request;
use Headroom\Load\Response;
use Headroom\Load\Scenario\Scenario;
use Headroom\Load\Scenario\Step;
use Headroom\Load\Tally;

/**
 * One simulated user of a scenario: an easy handle with its cookies, and what it knows from the answers so far. An
 * iteration ends at the first step that does not succeed, since those that follow live on it.
 *
 * @internal
 */
final class Visitor
{
    /** Of an answer from which something is to be captured. */
    private const KEPT_BYTES = 1_048_576;

    public readonly CurlHandle $handle;

    private int $number = 0;

    /** The step that comes next. */
    private int $next = 0;

    /** @var array<string, string> */
    private array $values = [];

    private ?Request $request = null;

    private int $waited = 0;

    private string $body = '';

    private ?Search $search = null;

    public function __construct(private readonly Plan $plan, private readonly Scenario $scenario, private readonly Journeys $journeys, private readonly FirstAnswer $firstAnswer)
    {
        $this->handle = curl_init();
    }

    public function begin(int $number): void
    {
        $this->number = $number;
        $this->next = 0;
        $this->values = $this->scenario->values($number);

        if (! $this->scenario->keepsCookies) {
            curl_setopt($this->handle, CURLOPT_COOKIELIST, 'ALL');
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
        $this->body = '';
        $this->request = $step->request($this->number, $this->values);
        $tally = $this->journeys->steps[$this->next];
        $tally->sent++;
        $text = $step->expectedText($this->plan);
        $this->search = $text === null || $text === '' ? null : new Search($text);
        // Takes every option back and keeps connections and cookies.
        curl_reset($this->handle);
        curl_setopt_array($this->handle, (new Wire($this->request))->options($this->plan));
        // No file: cookies of answers are kept in memory.
        curl_setopt($this->handle, CURLOPT_COOKIEFILE, '');
        // Cookies make a head whose length only libcurl knows.
        curl_setopt($this->handle, CURLINFO_HEADER_OUT, true);
        curl_setopt($this->handle, CURLOPT_WRITEFUNCTION, $this->receiver($step->captures === [] ? $this->plan->keepBytes : self::KEPT_BYTES));

        if ($this->firstAnswer->isWanted()) {
            curl_setopt($this->handle, CURLOPT_HEADERFUNCTION, $this->firstAnswer->listener());
        }
    }

    /**
     * @param int $code a CURLE_*
     * @return int nanoseconds to think before the next step, or before the user is free again
     */
    public function settle(int $code, Tally $tally, ?Observer $observer, int $inFlight): int
    {
        $step = $this->step();
        $status = curl_getinfo($this->handle, CURLINFO_RESPONSE_CODE);
        $micros = curl_getinfo($this->handle, CURLINFO_TOTAL_TIME_T);
        $bytes = curl_getinfo($this->handle, CURLINFO_SIZE_DOWNLOAD_T);
        $tally->bytes += $bytes;
        $tally->connections += curl_getinfo($this->handle, CURLINFO_NUM_CONNECTS);
        $isAccepted = $code === CURLE_OK && $step->accepts($status, $this->plan);

        if ($code === CURLE_OK) {
            $failure = $tally->judged($status, $isAccepted, $isAccepted ? $this->wrong($step) : null, $micros, $this->waited);
        } else {
            $diagnosis = new Diagnosis($this->handle);
            $failure = $diagnosis->failure($code);
            $tally->failed($failure, $diagnosis->message($failure), $micros, $this->waited);
        }

        $isResent = $this->isResent();
        $tally->resent += $isResent ? 1 : 0;
        $this->count($failure, $isAccepted, $status, $micros + $this->waited);

        if ($observer !== null && $this->request !== null) {
            $observer->finished($this->number, $this->request, new Response(
                $status,
                $failure,
                $micros,
                $bytes,
                substr($this->body, 0, $this->plan->keepBytes),
                $isResent,
                $this->waited,
                curl_getinfo($this->handle, CURLINFO_STARTTRANSFER_TIME_T),
                curl_getinfo($this->handle, CURLINFO_CONNECT_TIME_T),
                $inFlight,
                $step->name,
                $failure === null && $isAccepted,
            ));
        }

        $this->next = $failure === null && $isAccepted ? $this->next + 1 : count($this->scenario->steps);

        return $step->think->nanos();
    }

    private function step(): Step
    {
        return $this->scenario->steps[$this->next];
    }

    /** Takes from the answer what the step wants; what is wrong with it when that is not there. */
    private function wrong(Step $step): ?Failure
    {
        if ($this->search?->isFound() === false) {
            return Failure::UnexpectedBody;
        }

        foreach ($step->captures as $capture) {
            $value = $capture->from($this->body);

            if ($value === null) {
                return Failure::NothingToCapture;
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

    private function isResent(): bool
    {
        $head = curl_getinfo($this->handle, CURLINFO_HEADER_OUT);

        return is_string($head) && Wire::isTwice(curl_getinfo($this->handle, CURLINFO_REQUEST_SIZE), strlen($head), strlen($this->request->body ?? ''));
    }

    /** @return callable(CurlHandle, string): int */
    private function receiver(int $keep): callable
    {
        return function (CurlHandle $handle, string $data) use ($keep): int {
            $this->body .= substr($data, 0, $keep - strlen($this->body));
            $this->search?->read($data);

            return strlen($data);
        };
    }
}
