<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture\Samples;

/**
 * For users; see what is said of @internal elsewhere.
 */
final readonly class Shown
{
    public function take(Hidden $hidden): string
    {
        return $hidden::class;
    }

    /**
     * @internal
     */
    public function takeQuietly(Hidden $hidden): string
    {
        return $this->take($hidden);
    }
}
