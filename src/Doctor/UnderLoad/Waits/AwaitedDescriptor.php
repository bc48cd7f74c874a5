<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Waits;

/**
 * A descriptor that a system call waits for.
 *
 * @internal
 */
final readonly class AwaitedDescriptor
{
    /** @param string $target as /proc/PID/fd shows it: "socket:[123]", "pipe:[7]", or a path */
    public function __construct(public bool $toRead, public bool $toWrite, public string $target) {}

    /** Null if it is not a socket. */
    public function socket(): ?int
    {
        return preg_match('/\Asocket:\[(\d{1,18})\]\z/', $this->target, $m) === 1 ? (int) $m[1] : null;
    }
}
