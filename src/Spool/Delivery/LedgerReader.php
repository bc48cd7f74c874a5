<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Headroom\Sink\ExactlyOnce;
use Headroom\Sink\Progress;
use Headroom\Sink\Source;
use Headroom\Spool\BucketConfig;
use Throwable;

/**
 * What the ledger of a bucket's sink says, for those who only look: a database that is down is something to tell, and
 * no reason to see nothing.
 *
 * @internal
 */
final class LedgerReader
{
    /** Why the last look failed. */
    public ?string $error = null;

    /** The sink keeps a ledger, and it knows nothing of this log. */
    public bool $isWithoutRow = false;

    public function __construct(
        private readonly SinkRegistry $sinks,
        private readonly ?BucketConfig $bucket,
        private readonly Source $source,
    ) {}

    /** Null when the state file is all there is to go by. */
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
