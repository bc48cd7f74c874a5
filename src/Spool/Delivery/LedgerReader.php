<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Headroom\Sink\ExactlyOnce;
use Headroom\Sink\Progress;
use Headroom\Sink\Source;
use Headroom\Spool\BucketConfig;
use Throwable;

/**
 * Reads the ledger of a bucket's sink for commands that only show numbers. When the database is down, they show the
 * error and their other numbers.
 *
 * @internal
 */
final class LedgerReader
{
    /** Why the last read failed. */
    public ?string $error = null;

    /** Whether the sink keeps a ledger and the ledger has no row for this log. */
    public bool $isWithoutRow = false;

    public function __construct(
        private readonly SinkRegistry $sinks,
        private readonly ?BucketConfig $bucket,
        private readonly Source $source,
    ) {}

    /** Returns null when only the state file is available. */
    public function progress(): ?Progress
    {
        try {
            $sink = $this->bucket === null ? null : $this->sinks->of($this->bucket);
            $progress = $sink instanceof ExactlyOnce ? $sink->progress($this->source) : null;
            $this->isWithoutRow = $sink instanceof ExactlyOnce && $progress === null;
            $this->error = null;

            return $progress;
        } catch (Throwable $e) {
            $this->error = $e->getMessage();

            return null;
        }
    }
}
