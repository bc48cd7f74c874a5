<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http;

use Headroom\Core\Finding;
use Headroom\Spool\Health\Health;
use Headroom\Spool\Services\SpoolServices;
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
