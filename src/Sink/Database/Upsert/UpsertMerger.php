<?php

declare(strict_types=1);

namespace Headroom\Sink\Database\Upsert;

/**
 * Merges rows of an upsert: the later or the newer row wins.
 *
 * @internal
 */
final readonly class UpsertMerger implements RowMerger
{
    /** @var ?array<string, int> */
    private ?array $update;

    public function __construct(private ConflictResolution $conflict, private KeyComparison $comparison)
    {
        $this->update = $conflict->update === null ? null : array_flip($conflict->update);
    }

    public function prepare(array $row): array
    {
        $newer = $this->conflict->newer;

        return $newer === null || isset($row[$newer]) ? $row : throw UnableToMerge::missing($newer, 'newer');
    }

    public function merge(array $earlier, array $later): ?array
    {
        $newer = $this->conflict->newer;

        if ($newer !== null) {
            $order = $this->comparison->of($newer, $earlier[$newer], $later[$newer]);

            if ($order !== null && $order > 0) {
                return $earlier;
            }

            // The table may hold a row that is newer than the earlier row and older than the later row. So the later
            // row must not get columns that only the earlier row has.
            if ($order === null || count($earlier) !== count($later) || array_diff_key($earlier, $later) !== []) {
                return null;
            }
        }

        // Columns that are not updated keep the value of the first row.
        return ($this->update === null ? $later : array_intersect_key($later, $this->update)) + $earlier;
    }
}
