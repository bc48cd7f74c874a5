<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture;

use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class SecurityTest extends TestCase
{
    #[Test]
    public function each_threat_has_tests_that_are_there(): void
    {
        preg_match_all(
            '/^- \*\*(.+)\*\*\n  .+\n  Test: (.+)\.$/m',
            Files::read('SECURITY.md'),
            $rows,
            PREG_SET_ORDER,
        );
        self::assertCount(substr_count(Files::read('SECURITY.md'), "\n  Test: "), $rows);
        self::assertGreaterThan(10, count($rows));

        foreach ($rows as [, $threat, $tests]) {
            foreach (explode('; ', $tests) as $test) {
                self::assertSame(
                    1,
                    preg_match('~^\[(.+)\]\((tests/\1\.php)\): (`\w+`(?:, `\w+`)*)$~', $test, $m),
                    $test,
                );
                $code = Files::read($m[2]);

                foreach (explode(', ', str_replace('`', '', $m[3])) as $method) {
                    self::assertMatchesRegularExpression("/public function {$method}\\(/", $code, "{$threat}: {$m[2]}");
                }
            }
        }
    }
}
