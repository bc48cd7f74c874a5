<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\Encoding;

use Headroom\Spool\Encoding\RegexCache;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class RegexCacheTest extends TestCase
{
    #[Test]
    public function the_budget_takes_known_patterns_again_and_ends_at_256_kib(): void
    {
        $budget = new RegexCache;
        $pattern = static fn (int $number): string => sprintf('/%01022d/', $number);

        for ($number = 0; $number < 256; $number++) {
            self::assertTrue($budget->takes($pattern($number)));
            self::assertTrue($budget->takes($pattern(0)));
        }

        self::assertFalse($budget->takes('/x/'));
        self::assertFalse($budget->takes('/x/'));
        self::assertTrue($budget->takes($pattern(255)));
    }

    #[Test]
    public function a_process_has_one(): void
    {
        self::assertSame(RegexCache::ofProcess(), RegexCache::ofProcess());
    }
}
