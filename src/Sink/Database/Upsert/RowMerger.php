<?php

declare(strict_types=1);

namespace Headroom\Sink\Database\Upsert;

use Headroom\Core\Rows;

/**
 * Merges two rows with the same key into one row. It has the same effect as the two rows written one after the other.
 *
 * @internal
 *
 * @phpstan-import-type Row from Rows
 */
interface RowMerger
{
    /**
     * Completes and checks a row before it is merged or written.
     *
     * @param Row $row
     * @return Row
     *
     * @throws UnableToMerge
     */
    public function prepare(array $row): array;

    /**
     * @param Row $earlier
     * @param Row $later
     * @return ?Row null if only the database can merge them: then each gets a statement of its own
     */
    public function merge(array $earlier, array $later): ?array;
}
