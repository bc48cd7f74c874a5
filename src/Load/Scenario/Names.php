<?php

declare(strict_types=1);

namespace Headroom\Load\Scenario;

/**
 * Names of values that a scenario fills in.
 *
 * @internal
 */
final readonly class Names
{
    private const TAKEN = ['n', 'uuid', 'random'];

    public static function isOne(string $name): bool
    {
        return preg_match('/\A[A-Za-z_][A-Za-z0-9_]{0,63}\z/', $name) === 1 && ! in_array($name, self::TAKEN, true);
    }
}
