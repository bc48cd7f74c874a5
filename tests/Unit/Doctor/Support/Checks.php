<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Support;

use Headroom\Doctor\Runner\CheckList;
use PHPUnit\Framework\Assert;

/**
 * Some of the checks of the package.
 */
final readonly class Checks
{
    public static function only(string ...$ids): CheckList
    {
        $checks = CheckList::ofPackage()->only(array_values($ids));
        Assert::assertSame(array_values($ids), $checks->ids());

        return $checks;
    }

    /** @param string $letters of ids: NF for all of nginx and PHP-FPM */
    public static function ofLayers(string $letters): CheckList
    {
        $all = CheckList::ofPackage();

        return $all->only(array_values(array_filter(
            $all->ids(),
            static fn (string $id): bool => str_contains($letters, $id[0]),
        )));
    }
}
