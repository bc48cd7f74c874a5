<?php

declare(strict_types=1);

namespace Headroom\Host\Log\Envelope;

/**
 * What one transport, such as Docker or the journal, puts around a line.
 *
 * @internal
 */
interface EnvelopeLayer
{
    /** Removes the layer from a line; null if the line does not have it. */
    public function unwrap(string $line): ?UnwrappedLine;

    /** Whether the shape also fits other text, so that it counts only if native log lines remain after its removal. */
    public function isLoose(): bool;
}
