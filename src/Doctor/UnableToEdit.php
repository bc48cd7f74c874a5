<?php

declare(strict_types=1);

namespace Headroom\Doctor;

use Headroom\Core\HeadroomException;
use RuntimeException;

/**
 * The line of an edit is not what it was when the file was read.
 */
final class UnableToEdit extends RuntimeException implements HeadroomException
{
    public static function changed(string $file, int $line, ?string $expected, ?string $seen, int $lines): self
    {
        return new self($seen === null
            ? "{$file} has {$lines} lines, and the change is one of line {$line}: the file has changed since it was"
                .' read. Examine it again.'
            : "Line {$line} of {$file} is '{$seen}', and was '{$expected}' when it was read. Examine it again.");
    }
}
