<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use Headroom\Core\Rows;

/**
 * Makes one row of two with the same key, such that it does what the two would have done one after the other.
 *
 * @internal
 *
 * @phpstan-import-type Row from Rows
 */
interface RowMerger
{
    /**
     * @param Row $row
     * @return Row as it is to be written, were it alone
     *
     * @throws UnableToMerge
     */
    public function ready(array $row): array;

    /**
     * @param Row $earlier
     * @param Row $later
     * @return ?Row null where only the database can tell; then each is written by a statement of its own
     */
    public function fold(array $earlier, array $later): ?array;
}
