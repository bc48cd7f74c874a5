<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Samplers;

use Headroom\Core\HeadroomException;

/**
 * Reads one source repeatedly.
 *
 * @internal
 *
 * @template TSnapshot
 */
interface Sampler
{
    /** Its name in the report: "the SQL server". */
    public function subject(): string;

    /**
     * @return TSnapshot
     *
     * @throws HeadroomException if it cannot be read now
     */
    public function read(): mixed;
}
