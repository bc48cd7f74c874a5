<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http;

use Headroom\Core\Finding;
use Headroom\Core\HeadroomException;
use Headroom\Spool\Health\Health;
use Headroom\Spool\Health\NothingDelivers;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Support\PhpRestrictions;
use Illuminate\Http\JsonResponse;
use RuntimeException;

/**
 * Runs the checks of `spool:health` in a route or in Laravel's /up, as the user that serves requests.
 */
final readonly class SpoolHealth
{
    /** @internal */
    public function __construct(private SpoolServices $spool) {}

    /** Returns 200 if healthy and 503 otherwise. The response names paths and tables, so protect the route. */
    public function __invoke(): JsonResponse
    {
        $problems = $this->problems();
        $isHealthy = array_filter($problems, static fn (Finding $problem): bool => $problem->fatal) === [];

        return new JsonResponse(
            ['healthy' => $isHealthy, 'problems' => $problems],
            $isHealthy ? 200 : 503,
            ['Cache-Control' => 'no-store'],
            JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR,
        );
    }

    /** @return list<Finding> including notes */
    public function problems(): array
    {
        return (new Health($this->spool))->findings();
    }

    /**
     * Fails only if no flush has run on this machine for five minutes while events wait; costs no query.
     *
     * @throws RuntimeException
     */
    public function deliversOrFail(): void
    {
        try {
            $problems = PhpRestrictions::within((new NothingDelivers($this->spool))->findings(...));
        } catch (HeadroomException) {
            return; // A directory that cannot be read, or an invalid configuration: orFail() reports it.
        }

        foreach ($problems as $problem) {
            throw new RuntimeException("spool: {$problem->message}");
        }
    }

    /** @throws RuntimeException a problem prevents events from being accepted or delivered */
    public function orFail(): void
    {
        foreach ($this->problems() as $problem) {
            if ($problem->fatal) {
                throw new RuntimeException("spool:health, {$problem->subject}: {$problem->message} {$problem->fix}");
            }
        }
    }
}
