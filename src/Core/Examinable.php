<?php

declare(strict_types=1);

namespace Headroom\Core;

/**
 * A component that can report what prevents it from working. Examining leaves no lasting change, so it may be repeated.
 */
interface Examinable
{
    /** @return list<Problem> empty if there is no problem */
    public function examine(): array;
}
