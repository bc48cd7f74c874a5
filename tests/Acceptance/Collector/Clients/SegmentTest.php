<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Clients;

use Headroom\Tests\Acceptance\Collector\Clients\Support\Guide;
use Headroom\Tests\Acceptance\Collector\Clients\Support\Shell;
use Headroom\Tests\Acceptance\Collector\Clients\Support\Station;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Segment's library for Node, with another host.
 */
final class SegmentTest extends TestCase
{
    #[Test, Group('day-2')]
    public function each_call_arrives_value_for_value(): void
    {
        $station = Station::open();
        /** @var array{sent: list<array<string, mixed>>, statuses: list<int>} $told */
        $told = json_decode(
            Shell::node(Shell::script('segment.mjs'), $station->env()),
            true,
            flags: JSON_THROW_ON_ERROR,
        );
        self::assertSame([202, 202], $told['statuses']);
        self::assertSame(
            ['track', 'identify', 'page', 'screen', 'group', 'alias'],
            array_column($told['sent'], 'type'),
        );
        $rows = $station->rows();
        self::assertCount(6, $rows);

        foreach ($told['sent'] as $message) {
            $id = $message['messageId'];
            self::assertIsString($id);
            $row = $rows[$id] ?? self::fail("{$id} is not there.");
            $data = $row['data'];
            self::assertIsArray($data);
            // The time of sending is the batch's, and is kept with each.
            self::assertIsString($data['sentAt']);
            unset($data['sentAt']);

            self::assertSame($message, $data);
            self::assertSame(
                [
                    $message['event'] ?? $message['type'],
                    $message['userId'] ?? $message['anonymousId'] ?? null,
                    '2026-07-14T03:33:20.123000+00:00',
                    'web',
                    'web',
                ],
                [$row['type'], $row['subject'], $row['time'], $row['source'], $row['key']],
            );
        }

        self::assertStringContainsString('"none":null,"list":[],"object":{},', implode("\n", $station->lines()));
        self::assertStringNotContainsString($station->key, implode("\n", $station->lines()));
    }

    #[Test]
    public function the_example_of_the_page_works(): void
    {
        $station = Station::open();
        Shell::node((new Guide)->examples('Segment, RudderStack, Jitsu', 'js')[0], $station->env());

        self::assertSame(['Order Completed', 'identify'], array_column($station->rows(), 'type'));
        self::assertSame(['user-1', 'user-1'], array_column($station->rows(), 'subject'));
    }

    #[Test]
    public function a_wrong_key_is_final_to_it_and_stores_nothing(): void
    {
        $station = Station::open();
        $told = json_decode(
            Shell::node(Shell::script('segment.mjs'), ['EVENTS_KEY' => 'hrk_wrong'] + $station->env()),
            true,
            flags: JSON_THROW_ON_ERROR,
        );
        self::assertIsArray($told);

        self::assertSame([401, 401], $told['statuses']);
        self::assertSame([], $station->rows());
    }
}
