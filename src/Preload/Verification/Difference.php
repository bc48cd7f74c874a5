<?php

declare(strict_types=1);

namespace Headroom\Preload\Verification;

use Headroom\Preload\Page;

/**
 * A page that answers otherwise when the list is preloaded.
 *
 * @internal
 */
final readonly class Difference
{
    /** @param string $words a sentence without its end */
    public function __construct(public Page $page, public string $words) {}
}
