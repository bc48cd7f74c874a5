<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Ingest;

use Headroom\Collector\Ingest\IngestLimits;
use Headroom\Collector\Ingest\IngestSettings;
use Headroom\Collector\Ingest\Protobuf\JsonConverter;
use Headroom\Collector\Ingest\Protobuf\MessageType;
use Headroom\Collector\Ingest\Protobuf\WireReader;
use Headroom\Collector\Ingest\Protobuf\WireWriter;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * Bodies of a client with a key that are made to keep a worker busy, or that would lose a part of
 * themselves under a success.
 */
final class UnknownClientTest extends IngestTestCase
{
    private const PROTOBUF = ['content-type' => 'application/x-protobuf'];

    private const BYTES = 5_000_000;

    /** @return iterable<string, array{string, int, string}> body, status, and what the answer names */
    public static function endless(): iterable
    {
        $record = static fn (string $bytes): string => self::request(WireWriter::bytes(2, $bytes));
        $resource = static fn (string $bytes): string => WireWriter::bytes(1, $bytes.WireWriter::bytes(2, "\x12\x00"));
        $times = static fn (string $bytes): string => str_repeat($bytes, intdiv(self::BYTES, strlen($bytes)));

        yield 'a record of empty attributes' => [$record($times("\x32\x00")), 200, '262144'];
        yield 'a record of parts' => [$record($times("\x2A\x03\x0A\x01a")), 200, '262144'];
        yield 'a resource of empty attributes' => [$resource(WireWriter::bytes(1, $times("\x0A\x00"))), 400, '262144'];
        yield 'a resource of parts' => [$resource($times("\x0A\x02\x0A\x00")), 413, '500000'];
        yield 'empty containers' => [$times("\x0A\x00"), 413, '500000'];
        yield 'empty records' => [self::request($times("\x12\x00")), 413, '500000'];
        yield 'unknown fields' => [$times("\x78\x01"), 413, '500000'];
        yield 'groups' => [$times("\x7B\x7C"), 413, '500000'];
        $many = str_repeat("\x32\x00", 131_000);
        yield 'many records of empty attributes' => [
            self::request(str_repeat(WireWriter::bytes(2, $many), 19)), 413, '500000',
        ];
    }

    #[Test]
    #[DataProvider('endless')]
    public function a_body_of_tiny_fields_ends_early(string $body, int $status, string $named): void
    {
        $result = $this->harness()->post($body, self::PROTOBUF, '/v1/logs');

        self::assertSame([$status, 0], [$result->response->status, $result->count]);
        self::assertStringContainsString($named, $result->response->body);
    }

    /** Thirty-two times as many take about as many times as long; by the square it would be a thousand. */
    #[Test]
    public function attributes_of_a_record_are_each_read_once(): void
    {
        $used = static function (int $count): int {
            $json = new JsonConverter(64, new WireReader(PHP_INT_MAX));
            $before = hrtime(true);
            $text = $json->of(str_repeat("\x32\x00", $count), MessageType::LogRecord);
            self::assertSame(strlen('{"attributes":[]}') + 3 * $count - 1, strlen((string) $text));

            return hrtime(true) - $before;
        };
        $used(1_000);
        $small = min($used(2_000), $used(2_000), $used(2_000));
        $large = min($used(64_000), $used(64_000), $used(64_000));

        self::assertLessThan(32 * 8, $large / $small, 'Reading takes time by the square of what is read.');
    }

    #[Test]
    public function parts_of_a_body_are_joined_once_and_read_as_one(): void
    {
        $json = new JsonConverter(64, new WireReader(PHP_INT_MAX));
        $item = WireWriter::bytes(5, WireWriter::bytes(5, WireWriter::bytes(1, WireWriter::bytes(1, 'a'))));
        $text = (string) $json->of(str_repeat($item, 3), MessageType::LogRecord);

        self::assertSame(3, substr_count($text, '{"stringValue":"a"}'));
        self::assertSame(1, substr_count($text, 'arrayValue'));
    }

    #[Test]
    public function a_request_of_the_largest_batch_is_read(): void
    {
        $attribute = WireWriter::bytes(6, WireWriter::bytes(1, 'k').WireWriter::bytes(2, WireWriter::bytes(1, 'v')));
        $records = str_repeat(WireWriter::bytes(2, str_repeat($attribute, 20)), (new IngestLimits)->batchEvents);
        $result = $this->harness()->post(self::request($records), self::PROTOBUF, '/v1/logs');

        self::assertSame([200, ''], [$result->response->status, $result->response->body]);
        self::assertSame((new IngestLimits)->batchEvents, $result->count);
    }

    #[Test]
    public function names_in_an_answer_are_cut(): void
    {
        $long = str_repeat('n', 1_000_000);
        $fields = implode(
            '',
            array_map(static fn (int $number): string => WireWriter::varint($number, 1), range(100, 9_000)),
        );
        $answers = [
            $this->harness()->post("{\"resourceLogs\":[],\"{$long}\":1}", path: '/v1/logs'),
            $this->harness()->post(self::request('').$fields, self::PROTOBUF, '/v1/logs'),
        ];

        foreach ($answers as $result) {
            self::assertSame(200, $result->response->status);
            self::assertStringContainsString('Not read', $result->response->body);
            self::assertLessThan(400, strlen($result->response->body));
        }
    }

    /** @return iterable<string, array{string, array<string, string>, string}> */
    public static function recordsElsewhere(): iterable
    {
        $json = ['content-type' => 'application/json'];

        yield 'in a scope' => ['{"resourceLogs":[{"scopeLogs":[{"scope":{"logRecords":[{}]}}]}]}', $json, 'scope'];
        yield 'in a resource' => [
            '{"resourceLogs":[{"resource":{"scope_logs":[{"logRecords":[{}]}]}}]}', $json, 'resource',
        ];
        yield 'a resource alone' => ['{"resourceLogs":[{"resource":{"attributes":[{"key":"a"}]}}]}', $json, 'resource'];
        $alone = WireWriter::bytes(1, WireWriter::bytes(1, WireWriter::bytes(1, WireWriter::bytes(1, 'a'))));
        yield 'a resource alone in Protocol Buffers' => [$alone, self::PROTOBUF, 'resource'];
        $alone = self::request(WireWriter::bytes(1, WireWriter::bytes(1, 'name')));
        yield 'a scope alone in Protocol Buffers' => [$alone, self::PROTOBUF, 'scope'];
    }

    /** @param array<string, string> $headers */
    #[Test]
    #[DataProvider('recordsElsewhere')]
    public function a_resource_or_scope_without_records_is_named(string $body, array $headers, string $named): void
    {
        $result = $this->harness()->post($body, $headers, '/v1/logs');

        self::assertSame([200, 0], [$result->response->status, $result->count]);
        self::assertStringContainsString("'{$named}'", $result->response->body);
    }

    #[Test]
    public function a_rejected_record_is_told_with_its_number_and_place(): void
    {
        $body = '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{},{"timeUnixNano":true},5]}]}]}';
        $answer = $this->harness()->post($body, path: '/v1/logs')->response->body;

        self::assertStringContainsString('"rejectedLogRecords":"2"', $answer);
        self::assertStringContainsString('record 1, /timeUnixNano: ', $answer);
    }

    #[Test]
    public function a_media_type_that_is_not_read_is_answered_with_those_that_are(): void
    {
        $body = $this->harness()->ask('GET', '/v1/version')->response->body;

        foreach (['/v1/logs' => 2, '/v1/events' => 4, '/v1/batch' => 2, '/v1/t' => 2] as $path => $count) {
            $result = $this->harness()->post('x', ['content-type' => 'application/xml'], $path);
            $accept = explode(', ', $result->response->headers['Accept'] ?? '');
            self::assertSame([415, $count], [$result->response->status, count($accept)], $path);

            foreach ($accept as $type) {
                $again = $this->harness()->post('x', ['content-type' => $type], $path);
                self::assertNotSame(415, $again->response->status, "{$path} {$type}");
                self::assertStringContainsString("\"{$type}\"", $body);
            }
        }
    }

    #[Test]
    public function a_byte_order_mark_is_passed_over_in_each_format_of_json(): void
    {
        $key = $this->harness(new IngestSettings);
        $bodies = [
            '/v1/events' => '{"type":"a"}',
            '/v1/logs' => '{"resource_logs":[{"scopeLogs":[{"logRecords":[{}]}]}]}',
            '/v1/batch' => '{"batch":[{"type":"page"}],"writeKey":"k"}',
            '/v1/t' => '{"event":"e","writeKey":"k"}',
        ];

        foreach ($bodies as $path => $body) {
            self::assertSame(1, $this->harness()->post("\u{FEFF}{$body}", path: $path)->count, $path);
        }

        self::refused(401, 'unknown_key', $key->post("\u{FEFF}{$bodies['/v1/t']}", path: '/v1/t'));
    }

    /** Every parameter of a query is in the event, under any name and any number of times. */
    #[Test]
    public function each_parameter_of_a_pixel_is_kept(): void
    {
        $random = new Randomizer(new Mt19937(20_261_127));
        $names = [
            'a.b', 'a_b', 'a b', 'x', 'x[]', 'x[a]', 'x[', '0', '1', '', '_', 'é', 'data_', 'DATA', 'x[a][b]', "n\0l",
        ];

        for ($case = 0; $case < 300; $case++) {
            $query = [
                'type=t',
                ...($random->getInt(0, 1) === 0
                    ? []
                    : ['data='.['', '%7B%22d%22%3A%5B%5D%7D', '1'][$random->getInt(0, 2)]]),
            ];
            $values = [];

            for ($count = $random->getInt(0, 6); $count > 0; $count--) {
                $values[] = $value = "value-{$count}";
                $query[] = rawurlencode($names[$random->getInt(0, count($names) - 1)])."={$value}";
            }

            $query = implode('&', $random->shuffleArray($query));
            $result = $this->harness(new IngestSettings(hasPixel: true, isAuthenticated: false))
                ->ask('GET', '/v1/p.gif', query: $query);
            self::assertSame([200, 1], [$result->response->status, $result->count], $query);

            foreach ($values as $value) {
                self::assertStringContainsString("\"{$value}\"", str_replace('\"', '"', $result->lines), $query);
            }
        }
    }

    #[Test]
    public function a_parameter_of_a_pixel_that_has_one_place_and_two_values_is_refused(): void
    {
        $harness = $this->harness(new IngestSettings(hasPixel: true, isAuthenticated: false));

        foreach ([
            'type=a&type=b' => 'invalid_type',
            'type=a&id=1&id=2' => 'invalid_id',
            'type=a&subject=1&subject=2' => 'invalid_subject',
        ] as $query => $code) {
            self::refused(422, $code, $harness->ask('GET', '/v1/p.gif', query: $query));
        }
    }

    private static function request(string $scope): string
    {
        return "\x0A".self::length("\x12".self::length($scope).$scope)."\x12".self::length($scope).$scope;
    }

    /** WireWriter::bytes() leaves out what is empty. */
    private static function length(string $bytes): string
    {
        return $bytes === '' ? "\x00" : substr(WireWriter::bytes(1, $bytes), 1, -strlen($bytes));
    }
}
