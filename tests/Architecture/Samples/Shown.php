<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture\Samples;

/**
 * For users; see what is said of @internal elsewhere.
 */
final readonly class Shown
{
    public function give(): ?Hidden
    {
        return null;
    }
}
