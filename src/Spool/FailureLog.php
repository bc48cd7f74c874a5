<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Throwable;

/**
 * A bucket's failure in the application's log, once per incident: a worker that tries each second must not fill a disk.
 *
 * @internal
 */
final class FailureLog
{
    /** @var array<string, class-string<Throwable>> by bucket */
    private array $failing = [];

    public function __construct(private readonly Runtime $spool) {}

    public function note(string $bucket, ?Throwable $failure): void
    {
        $before = $this->failing[$bucket] ?? null;

        if ($failure === null) {
            unset($this->failing[$bucket]);
        } else {
            $this->failing[$bucket] = $failure::class;
        }

        if ($failure !== null && $before !== $failure::class) {
            $this->spool->logger()->error("spool: bucket '{$bucket}' is not delivered: {$failure->getMessage()}");
        } elseif ($failure === null && $before !== null) {
            $this->spool->logger()->info("spool: bucket '{$bucket}' is delivered again.");
        }
    }
}
