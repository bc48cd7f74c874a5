<?php

declare(strict_types=1);

namespace Headroom\Core;

/**
 * The in-process fault seam: protocol code names the moments at which a crash or a pause would hurt most, and a test
 * stops, kills or fails the process there. Production passes null. What the kernel can be made to fail (a full disk, a
 * short write, EIO) is not faked here but provoked for real; see docs/adr/0002-faults-below-php.md.
 *
 * @internal
 */
interface FaultPoint
{
    public function reached(string $name): void;
}
