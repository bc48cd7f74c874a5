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
 * The CloudEvents SDK for JavaScript.
 */
final class CloudEventsTest extends TestCase
{
    #[Test, Group('day-3')]
    public function each_mode_arrives_value_for_value(): void
    {
        $station = Station::open();
        /** @var array{sent: array<string, array<string, mixed>>, answer: mixed, isEvent: bool} $told */
        $told = json_decode(
            Shell::node(Shell::script('cloudevents.mjs'), $station->env()),
            true,
            flags: JSON_THROW_ON_ERROR,
        );
        self::assertSame(['accepted' => 3, 'rejected' => 0, 'errors' => []], $told['answer']);
        self::assertTrue($told['isEvent']);
        self::assertSame(['binary', 'structured', 'bytes', 'first', 'second', 'third'], array_keys($told['sent']));
        $rows = $station->rows();
        self::assertCount(6, $rows);

        foreach ($told['sent'] as $mode => $event) {
            $id = $event['id'];
            self::assertIsString($id);
            $row = $rows[$id] ?? self::fail("The event in mode {$mode} is not there.");
            $isBytes = $mode === 'bytes';
            $more = [
                'dataschema' => $event['dataschema'],
                'traceparent' => $event['traceparent'],
                'datacontenttype' => $event['datacontenttype']
                    ?? ($mode === 'binary' ? 'application/json; charset=utf-8' : null),
            ]
                + ($isBytes ? ['data_base64' => true] : []);
            $extensions = $row['extensions'];
            self::assertIsArray($extensions);

            self::assertIsString($event['source']);

            self::assertSame(
                // The binding says that headers are percent-decoded. The SDK does not encode them.
                [
                    $mode === 'binary' ? rawurldecode($event['source']) : $event['source'],
                    $event['type'],
                    '2026-07-14T03:33:20.123000+00:00',
                    $event['subject'],
                    'web',
                    $isBytes ? $event['data_base64'] : $event['data'],
                ],
                [$row['source'], $row['type'], $row['time'], $row['subject'], $row['key'], $row['data']],
                $mode,
            );
            $more = array_filter($more, static fn (mixed $value): bool => $value !== null);
            ksort($more);
            ksort($extensions);
            self::assertSame($more, $extensions, $mode);
        }

        // Decoded, {} and [] are the same; as it is stored they are not.
        self::assertStringContainsString('"none":null,"list":[],"object":{},', $station->lines()[0]);
    }

    #[Test, Group('day-2')]
    public function the_examples_of_the_page_work(): void
    {
        $station = Station::open();
        [$binary, $batch] = (new Guide)->examples('CloudEvents', 'js');

        self::assertSame('{"accepted":1,"rejected":0,"errors":[]}', trim(Shell::node($binary, $station->env())));
        self::assertSame('{"accepted":2,"rejected":0,"errors":[]}', trim(Shell::node($batch, $station->env())));
        $rows = array_values($station->rows());
        self::assertSame(
            [
                ['order.shipped', '/shop', ['parcels' => 2]],
                ['order.packed', '/shop', ['number' => 1]],
                ['order.packed', '/shop', ['number' => 2]],
            ],
            array_map(static fn (array $row): array => [$row['type'], $row['source'], $row['data']], $rows),
        );
    }

    #[Test]
    public function the_handshake_of_webhooks_is_answered(): void
    {
        $station = Station::open();
        $answer = Shell::bash(
            'curl -si -X OPTIONS "$EVENTS_URL/v1/events" -H "WebHook-Request-Origin:'
                .' events.example.com" -H "WebHook-Request-Rate: 120"',
            $station->env(),
        );

        self::assertStringContainsString("HTTP/1.1 200 OK\r\n", $answer);
        self::assertStringContainsString(
            "WebHook-Allowed-Origin: events.example.com\r\nWebHook-Allowed-Rate: *\r\n",
            $answer,
        );
    }
}
