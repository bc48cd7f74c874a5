<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel;

/**
 * @internal
 */
final readonly class ProgramOutput
{
    /** @param int $code 128 plus the number of the signal if a signal ended the program */
    public function __construct(public int $code, public string $output, public string $errors) {}
}
