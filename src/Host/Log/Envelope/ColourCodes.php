<?php

declare(strict_types=1);

namespace Headroom\Host\Log\Envelope;

/**
 * Escape sequences of a terminal (ECMA-48, CSI). Tools print them when colours are switched on.
 *
 * @internal
 */
final readonly class ColourCodes implements EnvelopeLayer
{
    public function unwrap(string $line): ?UnwrappedLine
    {
        return str_contains($line, "\e[")
            ? new UnwrappedLine((string) preg_replace('/\e\[[0-9;:?]*[A-Za-z]/', '', $line))
            : null;
    }

    public function isLoose(): bool
    {
        return false;
    }
}
