<?php

declare(strict_types=1);

namespace Headroom\Spool\Health;

use Headroom\Core\Finding;
use Headroom\Core\HeadroomException;
use Headroom\Sink\Inspectable;
use Headroom\Spool\Services\SpoolServices;

/**
 * A declared bucket whose sink cannot be created, or would reject events.
 *
 * @internal
 */
final readonly class SinkIsNotReady implements HealthCheck
{
    public function __construct(private SpoolServices $spool, private string $bucket) {}

    public function findings(): array
    {
        $name = $this->bucket;

        try {
            $bucket = $this->spool->config()->bucket($name);
            $sink = $bucket === null ? null : $this->spool->sinks()->of($bucket);
        } catch (HeadroomException $e) {
            return [new Finding(
                "bucket {$name}",
                $e->getMessage(),
                'Correct the bucket under spool.buckets (in Laravel, then run `config:clear`).',
            )];
        }

        return $sink instanceof Inspectable ? array_map(
            static fn (Finding $finding): Finding => $finding->about("bucket {$name}, {$finding->subject}"),
            $sink->inspect(),
        ) : [];
    }
}
