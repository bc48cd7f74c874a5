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
     * Whoever started this process watches it as long as it lives itself, and starts another one
     * when it is started anew.
     */
    private int $parent;

    public function __construct(SpoolServices $spool)
    {
        $parent = PhpRestrictions::call('getenv', 'HEADROOM_PARENT');
        $this->parent = is_string($parent) ? (int) $parent : 0;
        $this->file = $spool->restarts();
        $stamp = $this->file->stamp();
        $started = $_SERVER['REQUEST_TIME_FLOAT'] ?? null;
        $asked = $this->file->requestedAt();
        // Asked for while this process booted, perhaps with the code that was there before. What lies ahead was written
        // by a clock that has been set right since: each worker would end at once until then.
        $isLate = is_float($started) && $asked > (int) ($started * 1_000_000) && $asked <= $spool->clock()->micros();
        $this->stamp = $isLate ? null : $stamp;
    }

    public function isDue(): bool
    {
        return ($this->parent > 0 && posix_getppid() !== $this->parent)
            || $this->stamp === null
            || $this->file->stamp() !== $this->stamp;
    }
}
