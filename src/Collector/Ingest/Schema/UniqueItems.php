<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Schema;

use Opis\JsonSchema\Errors\ValidationError;
use Opis\JsonSchema\Info\DataInfo;
use Opis\JsonSchema\Keyword;
use Opis\JsonSchema\Schema;
use Opis\JsonSchema\ValidationContext;

use function abs;
use function array_keys;
use function array_map;
use function floor;
use function get_object_vars;
use function hash;
use function implode;
use function is_array;
use function is_float;
use function is_object;
use function json_encode;
use function ksort;
use function random_int;
use function var_export;

/**
 * Checks in linear time that an array has no equal items.
 *
 * @internal
 */
final class UniqueItems implements Keyword
{
    /** Other JSON readers read larger integers as floats. */
    private const EXACT = 9_007_199_254_740_992;

    private readonly int $seed;

    public function __construct()
    {
        // A secret key, so that a client cannot choose items whose hashes collide in a PHP array.
        $this->seed = random_int(0, PHP_INT_MAX);
    }

    public function validate(ValidationContext $context, Schema $schema): ?ValidationError
    {
        $items = $context->currentData();
        $seen = [];

        foreach (is_array($items) ? $items : [] as $number => $item) {
            $hash = hash('xxh128', self::canonical($item), false, ['seed' => $this->seed]);

            if (isset($seen[$hash])) {
                return new ValidationError(
                    'uniqueItems',
                    $schema,
                    DataInfo::fromContext($context),
                    'Items {first} and {second} are the same',
                    ['first' => $seen[$hash], 'second' => $number],
                );
            }

            $seen[$hash] = $number;
        }

        return null;
    }

    /** The same text for values that JSON Schema regards as equal: 1 and 1.0, and members in any order. */
    private static function canonical(mixed $value): string
    {
        if (is_object($value)) {
            $members = get_object_vars($value);
            ksort($members, SORT_STRING);

            return '{'
                .implode(
                    ',',
                    array_map(
                        static fn (int|string $name, mixed $member): string => self::canonical((string) $name).':'
                            .self::canonical($member),
                        array_keys($members),
                        $members,
                    ),
                )
                .'}';
        }

        if (is_array($value)) {
            return '['.implode(',', array_map(self::canonical(...), $value)).']';
        }

        if (is_float($value)) {
            return floor($value) === $value && abs($value) < self::EXACT
                ? (string) (int) $value
                : var_export($value, true);
        }

        return json_encode($value, JSON_THROW_ON_ERROR);
    }
}
