<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool;

use Headroom\Core\Position;
use Headroom\Spool\DeadLetters\DeadLetterKind;
use Headroom\Spool\Store\CorruptDeadLetter;
use Headroom\Spool\Store\DeadLetter;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class DeadLetterKindTest extends TestCase
{
    #[Test]
    #[TestWith(["Data too long for column 'a' at row 1", "Data too long for column 'bc' at row 17"])]
    #[TestWith(['Key (id)=(5) already exists.', 'Key (id)=(123456) already exists.'])]
    #[TestWith(['HTTP 422: {"error":"no \"x\""}', 'HTTP 422: {"error":"none"}'])]
    #[TestWith([
        'id 0190a3c4-9d2e-7abc-8def-0123456789ab is taken', 'id 0290a3c4-9d2e-7abc-8def-0123456789ab is taken',
    ])]
    #[TestWith(['at 1-116-1', 'at 20-4096-65535'])]
    #[TestWith(['hash 00ff00ff00ff00ff00ff', 'hash deadbeef00000000aaaa1'])]
    public function reasons_that_differ_in_values_are_of_one_kind(string $one, string $other): void
    {
        self::assertSame(self::kind($one), self::kind($other));
    }

    #[Test]
    #[TestWith(['Column a is missing', 'Column b is missing'])]
    #[TestWith(['', 'x'])]
    public function other_reasons_are_of_other_kinds(string $one, string $other): void
    {
        self::assertNotSame(self::kind($one), self::kind($other));
        self::assertNotSame(self::kind($one), self::kind($one, 'http'));
    }

    #[Test]
    public function any_bytes_have_a_kind_in_no_time(): void
    {
        foreach ([
            random_bytes(5_000), str_repeat("'\\", 50_000), str_repeat('"', 99_999), str_repeat('0', 99_999),
        ] as $reason) {
            self::assertMatchesRegularExpression('/\A[0-9a-f]{16}\z/', self::kind($reason));
        }

        self::assertNotSame(
            self::kind('x'),
            DeadLetterKind::of(new CorruptDeadLetter(Position::start(), 'x'))->hash,
        );
    }

    private static function kind(string $reason, string $sink = 'database'): string
    {
        return DeadLetterKind::of(new DeadLetter(Position::start(), 'id', 1, 1, $sink, $reason, '{}'))->hash;
    }
}
