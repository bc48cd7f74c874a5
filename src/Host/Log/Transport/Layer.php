<?php

declare(strict_types=1);

namespace Headroom\Host\Log\Transport;

/**
 * The wrapping that one transport puts around a line.
 *
 * @internal
 */
interface Layer
{
    /** Removes the layer from a line; null if the line does not have it. */
    public function take(string $line): ?DeliveredLine;

    /** Whether the shape also fits other text, so that it counts only if native log lines remain after its removal. */
    public function isLoose(): bool;
}
