<?php

declare(strict_types=1);

namespace Headroom\Host\Log\Transport;

/**
 * Escape sequences of a terminal (ECMA-48, CSI). Tools print them when colours are switched on.
 *
 * @internal
 */
final readonly class Colours implements Layer
{
    public function take(string $line): ?DeliveredLine
    {
        return str_contains($line, "\e[")
            ? new DeliveredLine((string) preg_replace('/\e\[[0-9;:?]*[A-Za-z]/', '', $line))
            : null;
    }

    public function isLoose(): bool
    {
        return false;
    }
}
