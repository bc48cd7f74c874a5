<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Bench\Queues\Run;

use Headroom\Bench\Queues\Run\Ending;
use Headroom\Bench\Queues\Run\Stamp;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class StampTest extends TestCase
{
    #[Test]
    public function written_stamps_are_read_again(): void
    {
        $stamps = [
            new Stamp(0, Ending::Done, 0, 0, 0),
            new Stamp(4_294_967_295, Ending::Thrown, 1, 4_294_967_296, PHP_INT_MAX),
            new Stamp(7, Ending::Failed, 123_456_789_012_345, 123_456_789_012_346, 123_456_789_012_347),
        ];

        self::assertEquals(
            $stamps,
            Stamp::decodeAll(implode('', array_map(static fn (Stamp $stamp): string => $stamp->encode(), $stamps))),
        );
        self::assertSame(Stamp::BYTES, strlen($stamps[1]->encode()));
    }

    /** @return iterable<string, array{int}> */
    public static function torn(): iterable
    {
        yield 'a byte of it' => [1];
        yield 'half of it' => [16];
        yield 'all but a byte' => [31];
    }

    #[Test]
    #[DataProvider('torn')]
    public function the_last_one_is_left_out_when_its_worker_was_killed_over_it(int $bytes): void
    {
        $whole = new Stamp(1, Ending::Done, 10, 20, 30);
        $torn = substr((new Stamp(2, Ending::Done, 11, 21, 31))->encode(), 0, $bytes);

        self::assertEquals([$whole], Stamp::decodeAll($whole->encode().$torn));
        self::assertSame([], Stamp::decodeAll($torn));
    }

    #[Test]
    public function of_a_worker_that_did_nothing_there_is_none(): void
    {
        self::assertSame([], Stamp::decodeAll(''));
    }
}
