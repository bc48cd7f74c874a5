<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Preload;

use Headroom\Preload\ObservedRequests;
use Headroom\Preload\Page;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class ObservedRequestsTest extends TestCase
{
    #[Test]
    public function classes_come_by_use_and_those_seen_after_a_preload_only_come_last(): void
    {
        $observed = new ObservedRequests(
            10,
            ['B' => 1, 'A' => 1, 'C' => 10],
            2,
            ['D' => 2, 'C' => 1, 'E' => 1],
            ['F' => 2],
        );

        self::assertSame(['C', 'A', 'B', 'D', 'E'], $observed->classes());
        self::assertSame([1.0, 0.1, 1.0, 0.5, 0.0], array_map($observed->shareOf(...), ['C', 'A', 'D', 'E', 'F']));
    }

    #[Test]
    public function requests_after_a_preload_add_and_lower_nothing(): void
    {
        $before = new ObservedRequests(100, ['A' => 25, 'B' => 1]);
        $after = $before->merge(new ObservedRequests(
            afterPreload: 100,
            usesAfterPreload: ['B' => 90, 'C' => 50],
            preloaded: ['A' => 100],
        ));

        self::assertSame([0.25, 0.9, 0.5], array_map($after->shareOf(...), ['A', 'B', 'C']));
    }

    #[Test]
    public function a_class_of_the_list_keeps_its_share_while_it_is_preloaded(): void
    {
        $added = new ObservedRequests(afterPreload: 10, usesAfterPreload: ['A' => 9]);

        self::assertSame(
            0.9,
            $added->merge(new ObservedRequests(afterPreload: 1_000, preloaded: ['A' => 1_000]))->shareOf('A'),
        );
    }

    #[Test]
    public function two_are_added_up(): void
    {
        $a = new ObservedRequests(
            1,
            ['A' => 1],
            1,
            ['C' => 1],
            ['X' => 1],
            [new Page('GET', '/', weight: 2), new Page('POST', '/p', 'a=1', 't')],
            1,
            2,
            3,
            100,
            200,
        );
        $b = new ObservedRequests(
            2,
            ['A' => 1, 'B' => 2],
            1,
            ['C' => 1],
            ['X' => 1, 'Y' => 1],
            [new Page('GET', '/', weight: 3), new Page('POST', '/p', 'a=2', 't', 9)],
            1,
            1,
            1,
            50,
            150,
        );

        self::assertEquals(new ObservedRequests(
            3,
            ['A' => 2, 'B' => 2],
            2,
            ['C' => 2],
            ['X' => 2, 'Y' => 1],
            [
                new Page('POST', '/p', 'a=2', 't', 9),
                new Page('GET', '/', weight: 5),
                new Page('POST', '/p', 'a=1', 't'),
            ],
            2,
            3,
            4,
            50,
            200,
        ), $a->merge($b));
    }

    #[Test]
    public function nothing_is_empty_and_adds_nothing(): void
    {
        $some = new ObservedRequests(1, ['A' => 1], since: 100, until: 200);

        self::assertTrue((new ObservedRequests(discarded: 5))->isEmpty());
        self::assertFalse((new ObservedRequests(afterPreload: 1))->isEmpty());
        self::assertEquals($some, $some->merge(new ObservedRequests));
        self::assertEquals($some, (new ObservedRequests)->merge($some));
        self::assertSame(0.0, (new ObservedRequests)->shareOf('A'));
    }
}
