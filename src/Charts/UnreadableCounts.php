<?php

declare(strict_types=1);

namespace Headroom\Charts;

use RuntimeException;

/**
 * @internal
 */
final class UnreadableCounts extends RuntimeException
{
    public static function because(string $seen): self
    {
        return new self("The index answered with {$seen}, so there is nothing to draw. Check that 'url' is the address of Elasticsearch or OpenSearch.");
    }
}
