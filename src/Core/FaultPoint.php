<?php

declare(strict_types=1);

namespace Headroom\Core;

/**
 * A hook for fault tests. Protocol code names the points at which a crash or a pause does the most damage; a test
 * stops, kills or fails the process there. Production passes null.
 *
 * Errors that the kernel can be made to return (a full disk, a short write, EIO) are not simulated here: tests cause
 * them for real, see docs/adr/0002-faults-below-php.md.
 *
 * @internal
 */
interface FaultPoint
{
    public function reached(string $name): void;
}
