<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Ingest;

use Headroom\Collector\Ingest\Authentication\ApiKey;
use Headroom\Collector\Ingest\IngestLimits;
use Headroom\Collector\Ingest\IngestSettings;
use Headroom\Spool\Encoding\Codec;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;

final class JsonEventsTest extends IngestTestCase
{
    private const JSON = ['content-type' => 'application/json'];

    private const NDJSON = ['content-type' => 'application/x-ndjson'];

    #[Test]
    public function a_bare_event_needs_nothing_but_a_type(): void
    {
        $result = $this->harness()->post('{"type":"order.placed"}');

        self::assertSame(202, $result->response->status);
        self::assertSame('events', $result->bucket);
        self::assertSame([
            'id' => '01a20244-e87b-774b-a5a5-a5a5a5a5a5a5', 'source' => 'headroom', 'type' => 'order.placed',
            'time' => '2026-11-22T08:00:00.123456+00:00',
            'received_at' => '2026-11-22T08:00:00.123456+00:00', 'subject' => null, 'key' => null, 'data' => null,
            'extensions' => null,
        ], self::row($result));
        self::assertSame(
            ['accepted' => 1, 'rejected' => 0, 'errors' => [], 'ids' => ['01a20244-e87b-774b-a5a5-a5a5a5a5a5a5']],
            PipelineHarness::body($result),
        );
    }

    #[Test]
    public function values_that_the_client_gives_are_kept(): void
    {
        $result = $this->harness()
            ->post(
                '{"id":"7","source":"/shop","type":"order.placed","time":"2026-11-22T09:30:00.5+01:00","subject":"o-1",'
                    .'"data":{"n":1},"traceparent":"00-a","flags":[1.0,{}]}',
            );

        self::assertSame([
            'id' => '7', 'source' => '/shop', 'type' => 'order.placed', 'time' => '2026-11-22T08:30:00.500000+00:00',
            'received_at' => '2026-11-22T08:00:00.123456+00:00', 'subject' => 'o-1', 'key' => null,
            'data' => '{"n":1}', 'extensions' => '{"traceparent":"00-a","flags":[1.0,{}]}',
        ], self::row($result));
        self::assertSame(
            ['accepted' => 1, 'rejected' => 0, 'errors' => []],
            PipelineHarness::body($result),
            'Who has ids needs none.',
        );
    }

    /** @return iterable<string, array{string, string}> */
    public static function types(): iterable
    {
        foreach ([
            'application/x-ndjson',
            'application/ndjson',
            'application/jsonl',
            'application/x-jsonlines',
            'Application/X-NDJSON; charset=UTF-8',
        ] as $type) {
            yield $type => [$type, "\n{\"type\":\"a\"}\r\n\n  {\"type\":\"b\"}\n \t\n{\"type\":\"c\"}"];
        }

        foreach ([
            'application/json', 'application/json; charset=utf-8', 'text/json', 'text/plain',
            'text/plain;charset=UTF-8', '',
        ] as $type) {
            yield "array, {$type}" => [$type, " [ {\"type\":\"a\"} ,\n{\"type\":\"b\"},{\"type\":\"c\"}] \n"];
        }

        yield 'a byte order mark' => [
            'application/json', "\u{FEFF}[{\"type\":\"a\"},{\"type\":\"b\"},{\"type\":\"c\"}]",
        ];
    }

    #[Test]
    #[DataProvider('types')]
    public function several_come_as_an_array_or_one_on_each_line(string $type, string $body): void
    {
        $result = $this->harness()->post($body, $type === '' ? [] : ['content-type' => $type]);

        self::assertSame(3, $result->count, $result->response->body);
        self::assertSame(['a', 'b', 'c'], array_column(PipelineHarness::rows($result->lines), 'type'));
    }

    #[Test]
    public function good_events_are_kept_and_bad_ones_named(): void
    {
        $result = $this->harness()->post(
            "{\"type\":\"a\"}\n{\"type\":5}\nnonsense\n{\"type\":\"b\",\"time\":\"yesterday\"}\n{\"type\":\"c\"}",
            self::NDJSON,
        );
        $body = PipelineHarness::body($result);

        self::assertSame(
            [202, 2, 2, 3],
            [$result->response->status, $result->count, $body['accepted'], $body['rejected']],
        );
        self::assertIsArray($body['errors']);
        self::assertSame(
            [[1, 'invalid_type', '/type'], [2, 'not_json', ''], [3, 'invalid_time', '/time']],
            array_map(
                static fn (mixed $error): array
                    => is_array($error) ? [$error['index'], $error['code'], $error['pointer']] : [],
                $body['errors'],
            ),
        );
        self::assertSame(['a', 'c'], array_column(PipelineHarness::rows($result->lines), 'type'));
        self::assertIsArray($body['ids']);
        self::assertSame(
            [true, false, false, false, true],
            array_map(is_string(...), $body['ids']),
            'An id for each event that was taken, in its place.',
        );
        self::assertSame(['invalid_type' => 1, 'not_json' => 1, 'invalid_time' => 1], $result->rejections);
    }

    #[Test]
    public function a_client_can_ask_for_all_or_nothing(): void
    {
        $harness = $this->harness();
        $body = "{\"type\":\"a\"}\n{}";

        foreach ([
            $harness->post($body, self::NDJSON + ['prefer' => 'respond-async, atomic']),
            $harness->post($body, self::NDJSON, query: 'x=1&atomic=1'),
        ] as $result) {
            $problem = self::refused(422, 'nothing_kept', $result);
            self::assertSame([0, 2], [$problem['accepted'], $problem['rejected']]);
        }

        self::assertSame(
            2,
            $harness->post("{\"type\":\"a\"}\n{\"type\":\"b\"}", self::NDJSON + ['prefer' => 'atomic'])->count,
        );
        self::assertSame(1, $harness->post($body, self::NDJSON + ['prefer' => 'nonatomic'])->count);
    }

    #[Test]
    public function nothing_accepted_is_an_error(): void
    {
        $harness = $this->harness();

        self::refused(400, 'not_json', $harness->post("x\ny", self::NDJSON));
        self::refused(422, 'missing_type', $harness->post('[{},{}]'));
        self::refused(422, 'nothing_accepted', $harness->post("x\n{}", self::NDJSON));
        self::refused(400, 'no_events', $harness->post('[]'));
        self::refused(400, 'no_events', $harness->post(" \n\n", self::NDJSON));
        self::refused(400, 'no_events', $harness->post(''));
    }

    #[Test]
    public function the_list_of_errors_ends_and_the_count_does_not(): void
    {
        $result = $this->harness(new IngestSettings(isAuthenticated: false, limits: new IngestLimits(errors: 3)))
            ->post("{\"type\":\"a\"}\n".str_repeat("{}\n", 50), self::NDJSON);
        $body = PipelineHarness::body($result);

        self::assertSame([1, 50], [$body['accepted'], $body['rejected']]);
        self::assertIsArray($body['errors']);
        self::assertCount(3, $body['errors']);
    }

    #[Test]
    public function a_beacon_is_answered_with_nothing(): void
    {
        $harness = $this->harness();
        $origin = ['origin' => 'https://shop.example.com'];

        $result = $harness->post('{"type":"a"}', ['content-type' => 'text/plain;charset=UTF-8'] + $origin);
        self::assertSame([204, '', 1], [$result->response->status, $result->response->body, $result->count]);
        self::assertSame('https://shop.example.com', $result->response->headers['Access-Control-Allow-Origin']);
        self::assertSame(204, $harness->post('{"type":"a"}', self::JSON, query: 'beacon=1')->response->status);
        self::assertSame(
            202,
            $harness->post('[{"type":"a"},{}]', ['content-type' => 'text/plain'])->response->status,
            'That one was not taken is never silent.',
        );
        self::refused(422, 'missing_type', $harness->post('{}', ['content-type' => 'text/plain']));
    }

    #[Test]
    public function a_request_that_comes_again_has_the_same_ids(): void
    {
        $harness = $this->harness();
        $ids = static fn (string $key, string $body, int $now): mixed
            => PipelineHarness::body($harness->post(
                $body,
                self::NDJSON + ['idempotency-key' => $key],
                now: $now,
            ))['ids']
                ?? null;
        $body = "{\"type\":\"a\"}\n{}\n{\"type\":\"b\",\"id\":\"mine\"}\n{\"type\":\"c\"}";
        $first = $ids('"k-1"', $body, PipelineHarness::NOW);

        self::assertIsArray($first);
        self::assertSame($first, $ids('k-1', $body, PipelineHarness::NOW + 60_000_000));
        self::assertSame([null, 'mine'], [$first[1], $first[2]]);
        self::assertNotSame($first[0], $first[3]);
        $second = $ids('k-2', $body, PipelineHarness::NOW);
        self::assertIsArray($second);
        self::assertNotSame($first[0], $second[0]);

        foreach ([$first[0], $first[3]] as $id) {
            self::assertIsString($id);
            self::assertMatchesRegularExpression(
                '/\A[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}\z/',
                $id,
            );
        }

        self::refused(
            400,
            'invalid_idempotency_key',
            $harness->post($body, self::NDJSON + ['idempotency-key' => 'a b']),
        );
        self::refused(
            400,
            'invalid_idempotency_key',
            $harness->post($body, self::NDJSON + ['idempotency-key' => str_repeat('k', 256)]),
        );
    }

    #[Test]
    public function ids_of_two_senders_never_meet(): void
    {
        $harness = $this->harness(new IngestSettings);
        $ids = [];

        foreach ([
            'a' => $harness->key(new ApiKey('', 'a')),
            'b' => $harness->key(new ApiKey('', 'b')),
        ] as $name => $key) {
            $result = $harness->post(
                '{"type":"t"}',
                self::JSON + ['idempotency-key' => '1', 'x-write-key' => $key],
            );
            $ids[] = self::row($result)['id'];
            self::assertSame([$name, $name], [self::row($result)['key'], self::row($result)['source']]);
        }

        self::assertNotSame($ids[0], $ids[1]);
    }

    #[Test]
    public function a_client_can_ask_for_an_answer_without_ids(): void
    {
        self::assertSame(
            ['accepted' => 1, 'rejected' => 0, 'errors' => []],
            PipelineHarness::body($this->harness()->post('{"type":"a"}', self::JSON + ['prefer' => 'return=minimal'])),
        );
    }

    #[Test]
    public function rejected_events_are_kept_where_the_configuration_says_so(): void
    {
        $settings = new IngestSettings(
            isAuthenticated: false,
            deadBucket: 'events-dead',
            limits: new IngestLimits(eventBytes: 1_024),
        );
        $result = $this->harness($settings)
            ->post("{\"type\":\"a\"}\nnot\x00json\xFF\n{\"type\":\"".str_repeat('x', 2_000).'"}', self::NDJSON);

        self::assertNotNull($result->deadLetters);
        self::assertSame(
            ['events-dead', 2, 1],
            [$result->deadLetters->bucket, $result->deadLetters->count, $result->count],
        );
        $lines = explode("\n", $result->deadLetters->lines);
        [$first] = (new Codec)->decode($lines[0]);
        self::assertSame(
            ['not_json', 'not'."\0"."json\u{FFFD}", 9],
            [$first['code'], $first['event'], $first['bytes']],
        );
        [$second] = (new Codec)->decode($lines[1]);
        self::assertSame(['event_too_large', 2_011], [$second['code'], $second['bytes']]);
        self::assertIsString($second['event']);
        self::assertSame(1_024, strlen($second['event']));

        $none = $this->harness($settings)->post('{}');
        self::refused(422, 'missing_type', $none);
        self::assertSame(1, $none->deadLetters?->count);
    }
}
