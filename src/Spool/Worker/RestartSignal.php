<?php

declare(strict_types=1);

namespace Headroom\Spool\Worker;

use Headroom\Process\Supervision\Channel;
use Headroom\Spool\FileStore\State\RestartFile;
use Headroom\Spool\Services\SpoolServices;

/**
 * Whether workers were asked to restart since this process was started.
 *
 * @internal
 */
final readonly class RestartSignal
{
    private RestartFile $file;

    private ?string $stamp;

    /** Null when no supervisor has started this process. When it ends, its successor starts another process. */
    private ?Channel $supervisor;

    public function __construct(SpoolServices $spool)
    {
        $this->supervisor = Channel::inherited();
        $this->file = $spool->restarts();
        $stamp = $this->file->stamp();
        $started = $_SERVER['REQUEST_TIME_FLOAT'] ?? null;
        $requestedAt = $this->file->requestedAt();
        // The restart was requested while this process booted, perhaps with the old code. A time in the future is
        // ignored: it comes from a clock that was corrected since, and each worker would end at once until that time.
        $missedRequest = is_float($started)
            && $requestedAt > (int) ($started * 1_000_000)
            && $requestedAt <= $spool->clock()->micros();
        $this->stamp = $missedRequest ? null : $stamp;
    }

    public function isDue(): bool
    {
        return $this->supervisor?->isClosed() === true
            || $this->stamp === null
            || $this->file->stamp() !== $this->stamp;
    }
}
