<?php

declare(strict_types=1);

namespace Headroom\Spool\Worker;

use Headroom\Spool\FileStore\State\RestartFile;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Support\PhpRestrictions;

/**
 * Whether workers were asked to restart since this process was started.
 *
 * @internal
 */
final readonly class RestartSignal
{
    private RestartFile $file;

    private ?string $stamp;

    /**
     * 0 when no parent process watches this one. When the parent ends, this process ends too, because the next parent
     * starts a new one.
     */
    private int $parent;

    public function __construct(SpoolServices $spool)
    {
        $parent = PhpRestrictions::call('getenv', 'HEADROOM_PARENT');
        $this->parent = is_string($parent) ? (int) $parent : 0;
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
        return ($this->parent > 0 && posix_getppid() !== $this->parent)
            || $this->stamp === null
            || $this->file->stamp() !== $this->stamp;
    }
}
