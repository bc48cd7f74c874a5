<?php

declare(strict_types=1);

namespace Headroom\Doctor;

use Headroom\Core\HeadroomException;
use RuntimeException;
use Throwable;

/**
 * A fact could not be read. A probe that throws this does not guess.
 */
final class FactUnavailable extends RuntimeException implements HeadroomException
{
    /**
     * @param string $reason with what was seen
     * @param string $command that answers it, as a user types it; '' for none
     */
    private function __construct(string $reason, public readonly string $command, ?Throwable $previous)
    {
        parent::__construct($reason, 0, $previous);
    }

    public static function because(string $reason, string $command = '', ?Throwable $previous = null): self
    {
        return new self($reason, $command, $previous);
    }
}
