<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Fpm;

use PHPUnit\Framework\Assert;

final readonly class Eventually
{
    /** @param callable(): bool $condition */
    public static function true(callable $condition): void
    {
        for ($try = 0; $try < 500; $try++) {
            if ($condition()) {
                Assert::assertLessThan(500, $try);

                return;
            }

            usleep(20_000);
        }

        Assert::fail('It has not come about in 10 seconds.');
    }
}
