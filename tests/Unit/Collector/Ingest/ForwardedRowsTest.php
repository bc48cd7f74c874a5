<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Ingest;

use Headroom\Collector\Ingest\Authentication\ApiKey;
use Headroom\Collector\Ingest\IngestSettings;
use Headroom\Core\Json;
use Headroom\Core\Position;
use Headroom\Core\Record;
use Headroom\Sink\JsonLine;
use PHPUnit\Framework\Attributes\Test;

/**
 * The collector accepts the requests of Headroom's own HTTP sink.
 */
final class ForwardedRowsTest extends IngestTestCase
{
    private const ROWS = [
        'content-type' => 'application/json',
        'headroom-bucket' => 'orders',
        'idempotency-key' => 'n/orders/1/2',
    ];

    private const OWN = 'node/orders/00000000000000000001-00000000000000000042-00000';

    #[Test]
    public function a_row_that_is_an_event_keeps_its_name_and_data(): void
    {
        $result = $this->harness()->post(
            '['.$this->line([
                'id' => 'e-1',
                'source' => 'shop/web-1',
                'type' => 'log',
                'time' => '2026-11-22T07:00:00.000001+01:00',
                'level' => 400,
                'context' => new Json('{"a":1.0,"b":{}}'),
                'extra' => null,
            ]).']',
            self::ROWS,
        );

        self::assertSame(202, $result->response->status);
        self::assertSame([
            'id' => 'e-1', 'source' => 'shop/web-1', 'type' => 'log', 'time' => '2026-11-22T06:00:00.000001+00:00',
            'received_at' => '2026-11-22T08:00:00.123456+00:00',
            'subject' => null, 'key' => null, 'data' => '{"level":400,"context":{"a":1.0,"b":{}},"extra":null}',
            'extensions' => null,
        ], self::row($result));
    }

    #[Test]
    public function a_row_of_a_table_is_named_by_its_place_in_the_log(): void
    {
        $harness = $this->harness();
        $row = self::row($harness->post('['.$this->line(['id' => 7, 'total' => 12.0]).']', self::ROWS));

        self::assertSame(
            [self::OWN, 'headroom', 'orders', '2026-11-22T05:00:00.000000+00:00', '{"id":7,"total":12.0}'],
            [$row['id'], $row['source'], $row['type'], $row['time'], $row['data']],
        );
        self::assertSame(
            self::OWN,
            self::row($harness->post('['.$this->line(['id' => 'no-source']).']', self::ROWS))['id'],
        );
        self::assertSame(
            self::OWN,
            self::row($harness->post(
                '['.$this->line(['id' => str_repeat('x', 257), 'source' => 's']).']',
                self::ROWS,
            ))['id'],
        );
    }

    #[Test]
    public function columns_that_are_nothing_of_an_event_are_no_reason_to_refuse_a_row(): void
    {
        $row = self::row($this->harness()->post(
            '['.$this->line(
                ['type' => 3, 'time' => 'noon', 'subject' => "a\nb", 'source' => '', '_id' => 'mine', 'ok' => true],
            ).']',
            self::ROWS,
        ));

        self::assertSame(
            ['orders', '2026-11-22T05:00:00.000000+00:00', null, 'headroom'],
            [$row['type'], $row['time'], $row['subject'], $row['source']],
        );
        self::assertSame('{"type":3,"time":"noon","subject":"a\nb","source":"","__id":"mine","ok":true}', $row['data']);
    }

    #[Test]
    public function a_collector_passes_events_on_to_another_unchanged(): void
    {
        $harness = $this->harness();
        /** @var array<string, string|null> $first */
        $first = self::row(
            $harness->post('{"type":"t","id":"1","source":"s","subject":"x","data":[1.0,{}],"traceparent":"00"}'),
        );
        /** @var array<string, string|null> $again */
        $again = self::row($harness->post(
            '['.$this->line(
                ['data' => new Json((string) $first['data']), 'extensions' => new Json((string) $first['extensions'])]
                    + $first,
            ).']',
            self::ROWS,
        ));

        self::assertSame(array_diff_key($first, ['extensions' => 1]), array_diff_key($again, ['extensions' => 1]));
        self::assertJsonStringEqualsJsonString(
            '{"extensions":{"traceparent":"00"},"received_at":"2026-11-22T08:00:00.123456+00:00"}',
            (string) $again['extensions'],
        );
    }

    #[Test]
    public function the_sink_is_told_which_rows_were_not_taken(): void
    {
        $large = $this->line(['text' => str_repeat('x', 300_000)]);
        $result = $this->harness()
            ->post('['.$this->line(['n' => 1]).",{$large},".$this->line(['n' => 3]).']', self::ROWS);

        self::assertSame([207, 2], [$result->response->status, $result->count]);
        self::assertSame(
            [
                'accepted' => 2,
                'rejected' => 1,
                'items' => [['status' => 202], ['status' => 413, 'error' => 'event_too_large'], ['status' => 202]],
            ],
            json_decode($result->response->body, true),
        );
        $none = $this->harness()->post("[{$large}]", self::ROWS);
        self::assertSame([207, 0], [$none->response->status, $none->count]);
    }

    #[Test]
    public function a_key_that_may_not_send_such_events_says_so_of_each(): void
    {
        $harness = $this->harness(new IngestSettings);
        $token = $harness->key(new ApiKey('', 'shop', types: ['order.*']));
        $result = $harness->post(
            '['.$this->line(['n' => 1]).','.$this->line(['type' => 'order.placed']).']',
            self::ROWS + ['authorization' => "Bearer {$token}"],
        );

        self::assertSame([207, 1], [$result->response->status, $result->count]);
        self::assertStringContainsString(
            '{"status":403,"error":"type_not_allowed"},{"status":202}',
            $result->response->body,
        );
    }

    #[Test]
    public function a_request_without_the_header_is_one_of_events(): void
    {
        self::refused(422, 'missing_type', $this->harness()->post('['.$this->line(['n' => 1]).']'));
        self::refused(
            422,
            'missing_type',
            $this->harness()->post('['.$this->line(['n' => 1]).']', ['headroom-bucket' => '../x'] + self::ROWS),
        );
        self::refused(
            415,
            'unsupported_media_type',
            $this->harness()->post('[]', ['content-type' => 'application/x-ndjson'] + self::ROWS),
        );
        self::refused(400, 'no_events', $this->harness()->post('[]', self::ROWS));
        self::refused(400, 'not_json', $this->harness()->post('[{"_id":"a"}', self::ROWS));
    }

    /** @param non-empty-array<string, Json|scalar|null> $values */
    private function line(array $values): string
    {
        return JsonLine::of(self::OWN, new Record(new Position(1, 42, 0), 1_795_323_600_000_000, $values));
    }
}
