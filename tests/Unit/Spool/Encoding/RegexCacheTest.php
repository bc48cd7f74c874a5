<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\Encoding;

use Headroom\Spool\Encoding\RegexCache;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class RegexCacheTest extends TestCase
{
    #[Test]
    public function it_admits_known_patterns_again_and_ends_at_256_kib(): void
    {
        $cache = new RegexCache;
        $pattern = static fn (int $number): string => sprintf('/%01022d/', $number);

        for ($number = 0; $number < 256; $number++) {
            self::assertTrue($cache->admits($pattern($number)));
            self::assertTrue($cache->admits($pattern(0)));
        }

        self::assertFalse($cache->admits('/x/'));
        self::assertFalse($cache->admits('/x/'));
        self::assertTrue($cache->admits($pattern(255)));
    }

    #[Test]
    public function a_process_has_one(): void
    {
        self::assertSame(RegexCache::ofProcess(), RegexCache::ofProcess());
    }
}
