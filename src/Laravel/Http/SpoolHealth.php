<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http;

use Headroom\Core\Finding;
use Headroom\Spool\Services\SpoolServices;
use Illuminate\Http\JsonResponse;
use RuntimeException;

/**
 * What `spool:health` finds, for a route and for Laravel's own /up: seen with the eyes of the user that serves requests.
 */
final readonly class SpoolHealth
{
    /** @internal */
    public function __construct(private SpoolServices $spool) {}

    /** 200 when healthy, 503 otherwise. The answer names paths and tables: it is not for everybody. */
    public function __invoke(): JsonResponse
    {
        $problems = $this->problems();
        $isHealthy = array_filter($problems, static fn (Finding $problem): bool => $problem->fatal) === [];

        return new JsonResponse(['healthy' => $isHealthy, 'problems' => $problems], $isHealthy ? 200 : 503, ['Cache-Control' => 'no-store'], JSON_UNESCAPED_SLASHES | JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR);
    }

    /** @return list<Finding> notes among them */
    public function problems(): array
    {
        return $this->spool->health()->findings();
    }

    /** @throws RuntimeException when something would keep events from being taken or delivered */
    public function orFail(): void
    {
        foreach ($this->problems() as $problem) {
            if ($problem->fatal) {
                throw new RuntimeException("spool:health, {$problem->subject}: {$problem->message} {$problem->fix}");
            }
        }
    }
}
