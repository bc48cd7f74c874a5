<?php

declare(strict_types=1);

namespace Headroom\Charts;

use RuntimeException;

/**
 * The index answered with something other than the counts of the query.
 *
 * @internal
 */
final class UnreadableCounts extends RuntimeException
{
    public static function because(string $seen): self
    {
        return new self(
            "The index answered with {$seen}, so there are no counts. Check that 'url' is the address of Elasticsearch"
                .' or OpenSearch.',
        );
    }
}
