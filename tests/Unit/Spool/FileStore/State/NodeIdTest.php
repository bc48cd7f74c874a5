<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\FileStore\State;

use Headroom\Load\Metrics\ProcessCpuTime;
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

        for ($number = 0; $number < 5_000; $number++) {
            touch("{$root}/buckets/bucket-{$number}");
        }

        self::assertTrue(NodeId::hasBuckets($root));
        $ask = self::micros(static fn (): bool => NodeId::hasBuckets($root));
        $list = self::micros(static fn (): array|false => scandir("{$root}/buckets"));
        self::assertLessThan($list / 3, $ask);
    }

    /** @param callable(): mixed $call */
    private static function micros(callable $call): int
    {
        $start = (new ProcessCpuTime)->micros();

        for ($time = 0; $time < 50; $time++) {
            $call();
        }

        return (new ProcessCpuTime)->micros() - $start;
    }
}
