<?php

declare(strict_types=1);

namespace Headroom\Core;

/**
 * Can say what stands in its own way. Examining changes nothing that lasts.
 */
interface Examinable
{
    /** @return list<Problem> empty when all is well */
    public function examine(): array;
}
