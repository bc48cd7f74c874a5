<?php

declare(strict_types=1);

namespace Headroom\Load\Run;

use Headroom\Load\Observer;
use Headroom\Load\Plan;
use Headroom\Load\Request;
use Headroom\Load\RequestSource;
use Headroom\Load\Share;
use Headroom\Load\Tally;
use Headroom\Load\Transport\EncodedRequest;
use Headroom\Load\Transport\Exchange;

/**
 * Users of whom each sends the next request that there is.
 *
 * @internal
 */
final class Requests implements Crowd
{
    /** @var array<int, User> those with a request in flight, by the object id of their exchange */
    private array $busy = [];

    /** @var list<User> the others */
    private array $free = [];

    /** The last, which many send again and again: they share its text. */
    private ?Request $request = null;

    private ?EncodedRequest $message = null;

    private int $begun = 0;

    private readonly ?int $requests;

    private bool $isExhausted;

    public function __construct(
        private readonly Plan $plan,
        private readonly RequestSource $source,
        private readonly Pace $pace,
        private readonly Tally $tally,
        private readonly ?Observer $observer,
        private readonly FirstAnswer $firstAnswer,
        private readonly Share $share,
    ) {
        $this->requests = $plan->requests === null ? null : $share->count($plan->requests);
        $this->isExhausted = $this->requests === 0;
    }

    public function start(int $now): ?Exchange
    {
        if ($this->isExhausted || ($due = $this->pace->due($now)) === null) {
            return null;
        }

        $number = $this->share->number($this->begun);
        $request = $this->source->next($number);

        if ($request === null) {
            $this->isExhausted = true;

            return null;
        }

        $user = array_pop($this->free) ?? new User($this->plan, $this->firstAnswer);
        $waited = intdiv($now - $due, 1_000);
        $user->prepare($number, $request, $this->message($request), $waited);
        // Nobody waits through a pause for nothing.
        $this->isExhausted = ++$this->begun === $this->requests;
        $this->busy[spl_object_id($user->exchange)] = $user;
        $this->tally->began(count($this->busy), $waited);

        return $user->exchange;
    }

    public function ended(Exchange $exchange, int $now): void
    {
        $user = $this->busy[spl_object_id($exchange)];
        unset($this->busy[spl_object_id($exchange)]);
        $user->settle($this->tally, $this->observer, count($this->busy) + 1);
        $this->free[] = $user;
        $this->pace->ended($now);
    }

    public function next(): int
    {
        return $this->isExhausted ? PHP_INT_MAX : $this->pace->next();
    }

    private function message(Request $request): EncodedRequest
    {
        if ($request !== $this->request || $this->message === null) {
            $this->request = $request;
            $this->message = EncodedRequest::of($request);
        }

        return $this->message;
    }
}
