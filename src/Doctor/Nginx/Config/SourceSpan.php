<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Config;

/**
 * Where a statement stands in the text of its file: from its first word to behind the semicolon or brace that ends it.
 *
 * @internal
 */
final readonly class SourceSpan
{
    /**
     * @param int $start in bytes
     * @param int $end in bytes, not a part of it
     */
    public function __construct(public int $start, public int $end) {}
}
