<?php

declare(strict_types=1);

namespace Headroom\Spool\Health;

use Headroom\Core\Finding;
use Headroom\Spool\Services\SpoolServices;

/**
 * A paused bucket. Fatal once the pause looks forgotten.
 *
 * @internal
 */
final readonly class BucketIsPaused implements HealthCheck
{
    /** A migration, the usual reason for a pause, takes hours at most. */
    private const FORGOTTEN_SECONDS = 86_400;

    public function __construct(private SpoolServices $spool) {}

    public function findings(): array
    {
        $stores = $this->spool->stores();
        $problems = [];

        foreach ($stores->paused()->names as $name) {
            $pause = $stores->pauses($name)->of($name);

            if ($pause !== null) {
                $age = intdiv($this->spool->clock()->micros(), 1_000_000) - $pause->since->getTimestamp();
                $problems[] = new Finding(
                    "bucket {$name}",
                    "It is {$pause->words()}: it accepts events and delivers none.",
                    "Run `spool:resume {$name}` to deliver them.",
                    $age > self::FORGOTTEN_SECONDS,
                );
            }
        }

        return $problems;
    }
}
