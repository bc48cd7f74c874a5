<?php

declare(strict_types=1);

namespace Headroom\Sink\Database\Upsert;

use Headroom\Core\Rows;

/**
 * Merges rows by adding columns without floats: integers as integers, other numbers digit by digit.
 *
 * @internal
 *
 * @phpstan-import-type Row from Rows
 */
final readonly class SumMerger implements RowMerger
{
    private bool $hasExtremes;

    public function __construct(private ConflictResolution $conflict, private KeyComparison $comparison)
    {
        $this->hasExtremes = $conflict->max !== [] || $conflict->min !== [];
    }

    public function prepare(array $row): array
    {
        $sum = $this->conflict->sum;

        if (count($sum) === 1 && ! array_key_exists($sum[0], $row)) {
            // An event without the column counts as 1.
            $row[$sum[0]] = 1;

            return $row;
        }

        $isEmpty = true;

        foreach ($sum as $column) {
            $value = $row[$column] ?? null;

            if ($value === null && ! array_key_exists($column, $row)) {
                $row[$column] = 0;

                continue;
            }

            $isEmpty = false;

            if (! is_int($value)) {
                $row[$column] = Decimal::of($value) ?? throw UnableToMerge::notNumber($column, get_debug_type($value));
            }
        }

        return $isEmpty ? throw UnableToMerge::nothingToAdd($sum) : $row;
    }

    public function merge(array $earlier, array $later): ?array
    {
        foreach ($this->conflict->sum as $column) {
            $a = $earlier[$column];
            $b = $later[$column];

            if (is_int($a) && is_int($b)) {
                // The sum overflows 64 bits. Whether it fits into the column is up to the database.
                if ($b > 0 ? $a > PHP_INT_MAX - $b : $a < PHP_INT_MIN - $b) {
                    return null;
                }

                $earlier[$column] = $a + $b;
            } else {
                /** @var int|string $a */
                /** @var int|string $b */
                $earlier[$column] = Decimal::sum((string) $a, (string) $b);
            }
        }

        return $this->hasExtremes ? $this->withExtremes($earlier, $later) : $earlier;
    }

    /**
     * @param Row $earlier
     * @param Row $later
     * @return ?Row
     */
    private function withExtremes(array $earlier, array $later): ?array
    {
        foreach (['max' => 1, 'min' => -1] as $what => $sign) {
            foreach ($this->conflict->{$what} as $column) {
                if (! isset($later[$column])) {
                    continue;
                }

                // The column may have a default.
                if (! array_key_exists($column, $earlier)) {
                    return null;
                }

                $order = $earlier[$column] === null
                    ? -$sign
                    : $this->comparison->of($column, $earlier[$column], $later[$column]);

                if ($order === null) {
                    return null;
                }

                $earlier[$column] = $order * $sign < 0 ? $later[$column] : $earlier[$column];
            }
        }

        return $earlier;
    }
}
