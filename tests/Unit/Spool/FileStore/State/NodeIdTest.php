<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\FileStore\State;

use Headroom\Spool\FileStore\State\NodeId;
use Headroom\Tests\Support\DirectoryTestCase;
use PHPUnit\Framework\Attributes\Test;

final class NodeIdTest extends DirectoryTestCase
{
    /** The status of each bucket asks, so a list of all would cost the square of their number. */
    #[Test]
    public function whether_there_are_buckets_is_known_without_a_list_of_them(): void
    {
        $root = $this->directory->path;
        self::assertFalse(NodeId::hasBuckets($root));
        mkdir("{$root}/buckets");
        self::assertFalse(NodeId::hasBuckets($root));

        for ($number = 0; $number < 20_000; $number++) {
            touch("{$root}/buckets/bucket-{$number}");
        }

        self::assertTrue(NodeId::hasBuckets($root));
        $ask = self::seconds(static fn (): bool => NodeId::hasBuckets($root));
        $list = self::seconds(static fn (): array|false => scandir("{$root}/buckets"));
        self::assertLessThan($list / 4, $ask);
    }

    /** @param callable(): mixed $call */
    private static function seconds(callable $call): float
    {
        $seconds = static function (): float {
            $usage = (array) getrusage();

            return array_sum(array_map(
                static fn (string $of): float => $usage["ru_{$of}.tv_sec"] + $usage["ru_{$of}.tv_usec"] / 1_000_000,
                ['utime', 'stime'],
            ));
        };
        $start = $seconds();

        for ($time = 0; $time < 50; $time++) {
            $call();
        }

        return $seconds() - $start;
    }
}
