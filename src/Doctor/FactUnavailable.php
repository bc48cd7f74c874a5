<?php

declare(strict_types=1);

namespace Headroom\Doctor;

use Headroom\Core\HeadroomException;
use RuntimeException;

/**
 * Something could not be read. A probe that throws this does not guess.
 */
final class FactUnavailable extends RuntimeException implements HeadroomException
{
    /**
     * @param string $reason why, with what was seen
     * @param string $command what would tell, as somebody types it; '' where nothing would
     */
    private function __construct(string $reason, public readonly string $command)
    {
        parent::__construct($reason);
    }

    public static function because(string $reason, string $command = ''): self
    {
        return new self($reason, $command);
    }
}
