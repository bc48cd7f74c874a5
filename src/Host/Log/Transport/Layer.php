<?php

declare(strict_types=1);

namespace Headroom\Host\Log\Transport;

/**
 * What one transport puts around a line.
 *
 * @internal
 */
interface Layer
{
    /** Takes it off; null where this line has none of it. */
    public function take(string $line): ?Carried;

    /** Its shape fits much that is no transport: it has to bring out a log. */
    public function isLoose(): bool;
}
