<?php

declare(strict_types=1);

namespace Headroom\Load\Scenario;

/**
 * Checks the name of a variable, which is a column of the data file or a captured value.
 *
 * @internal
 */
final readonly class VariableName
{
    /** Placeholders of their own. */
    private const RESERVED = ['n', 'uuid', 'random'];

    public static function isValid(string $name): bool
    {
        return preg_match('/\A[A-Za-z_][A-Za-z0-9_]{0,63}\z/', $name) === 1 && ! in_array($name, self::RESERVED, true);
    }
}
