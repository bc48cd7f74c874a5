<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Ingest;

use Headroom\Collector\Ingest\Protobuf\JsonConverter;
use Headroom\Collector\Ingest\Protobuf\MalformedProtobuf;
use Headroom\Collector\Ingest\Protobuf\MessageType;
use Headroom\Collector\Ingest\Protobuf\WireReader;
use Headroom\Collector\Ingest\Protobuf\WireWriter;
use Opentelemetry\Proto\Collector\Logs\V1\ExportLogsServiceResponse;
use Opentelemetry\Proto\Collector\Trace\V1\ExportTraceServiceRequest;
use Opentelemetry\Proto\Logs\V1\LogRecord;
use Opentelemetry\Proto\Trace\V1\ResourceSpans;
use Opentelemetry\Proto\Trace\V1\ScopeSpans;
use Opentelemetry\Proto\Trace\V1\Span;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use Random\Engine\Mt19937;
use Random\Randomizer;
use Throwable;

/**
 * OTLP over Protocol Buffers, held against Google's library. HEADROOM_FUZZ_CASES asks for more cases,
 * HEADROOM_FUZZ_SEED for the same.
 */
final class ProtobufTest extends IngestTestCase
{
    private const HEADERS = ['content-type' => 'application/x-protobuf'];

    private const DEPTH = 64;

    #[Test]
    public function a_request_is_stored_alike_in_both_encodings(): void
    {
        [$random, $cases] = self::plan(200);

        for ($case = 0; $case < $cases; $case++) {
            $request = RandomLogs::request($random);
            $json = DescribedLogs::json($request);
            $binary = $this->harness()->post($request->serializeToString(), self::HEADERS, '/v1/logs');
            $text = $this->harness()->post($json, path: '/v1/logs');

            self::assertSame([200, ''], [$binary->response->status, $binary->response->body], $json);
            self::assertSame($text->count, $binary->count, $json);
            self::assertEquals(self::comparable($text->lines), self::comparable($binary->lines), $json);
        }
    }

    #[Test]
    public function bytes_are_read_as_googles_library_reads_them(): void
    {
        [$random, $cases] = self::plan(3_000);
        $json = new JsonConverter(self::DEPTH, new WireReader(PHP_INT_MAX));
        $read = 0;

        for ($case = 0; $case < $cases; $case++) {
            $bytes = self::mutated(RandomLogs::record($random)->serializeToString(), $random);
            $theirs = new LogRecord;

            try {
                $ours = $json->of($bytes, MessageType::LogRecord);
            } catch (MalformedProtobuf) {
                continue;
            }

            try {
                $theirs->mergeFromString($bytes);
                $expected = self::floats(json_decode(
                    json_encode(DescribedLogs::told($theirs), JSON_THROW_ON_ERROR),
                    true,
                    512,
                    JSON_THROW_ON_ERROR,
                ));
            } catch (Throwable $e) {
                // Groups, which the specification has parsers pass over and this library refuses.
                if (str_contains($e->getMessage(), 'Unexpected wire type')) {
                    continue;
                }

                self::fail('It is read here and not there: '.bin2hex($bytes)." ({$e->getMessage()})");
            }

            self::assertNotNull($ours);
            self::assertEquals(
                $expected,
                self::floats(json_decode($ours, true, 512, JSON_THROW_ON_ERROR)),
                bin2hex($bytes),
            );
            $read++;
        }

        self::assertGreaterThan($cases / 10, $read, 'Mutations that leave nothing to compare show nothing.');
    }

    /** @return iterable<string, array{string}> */
    public static function broken(): iterable
    {
        yield 'a length beyond the end' => ["\x0A\x7F\x00"];
        yield 'a number without an end' => ["\x0A\xFF"];
        yield 'a number of eleven bytes' => [str_repeat("\xFF", 10)."\x01"];
        yield 'field 0' => ["\x02\x00"];
        yield 'a wire type that does not exist' => ["\x0E"];
        yield 'an end of a group' => ["\x0C"];
        yield 'a group without an end' => ["\x0B\x08\x01"];
        yield 'groups in groups' => [str_repeat("\x0B", 200)];
        yield 'another wire type' => ["\x08\x01"];
        yield 'text' => ['{"resourceLogs":[]}'];
        yield 'only other fields' => [WireWriter::bytes(2, 'x').WireWriter::varint(3, 1)];
        yield 'a resource that is none' => [WireWriter::bytes(
            1,
            WireWriter::bytes(1, "\xFF").WireWriter::bytes(2, ''),
        )];
        yield 'resource logs with other fields only' => [WireWriter::bytes(1, WireWriter::bytes(1_000, 'x'))];
        yield 'scope logs with other fields only' => [WireWriter::bytes(
            1,
            WireWriter::bytes(2, WireWriter::varint(9, 7)),
        )];
    }

    #[Test]
    #[DataProvider('broken')]
    public function what_is_no_request_is_refused_in_its_own_encoding(string $body): void
    {
        $result = $this->harness()->post($body, self::HEADERS, '/v1/logs');

        self::assertSame(
            [400, 0, 'application/x-protobuf'],
            [$result->response->status, $result->count, $result->response->headers['Content-Type']],
        );
        self::assertContains(array_keys($result->rejections), [['broken_encoding'], ['no_events']]);
        // google.rpc.Status: code 3 is INVALID_ARGUMENT.
        self::assertStringStartsWith("\x08\x03\x12", $result->response->body);
    }

    #[Test]
    public function parts_of_a_message_are_merged(): void
    {
        $json = new JsonConverter(self::DEPTH, new WireReader(PHP_INT_MAX));
        $list = static fn (string $text): string
            => WireWriter::bytes(5, WireWriter::bytes(1, WireWriter::bytes(1, $text)));
        $body = static fn (string ...$values): string
            => implode('', array_map(static fn (string $value): string => WireWriter::bytes(5, $value), $values));
        // An empty one changes nothing; bytes() would leave it out.
        $empty = "\x2A\x00";

        self::assertSame(
            '{"body":{"arrayValue":{"values":[{"stringValue":"a"},{"stringValue":"b"}]}}}',
            $json->of($body($list('a'), $list('b')).$empty, MessageType::LogRecord),
        );
        self::assertSame(
            '{"body":{"intValue":"7"}}',
            $json->of($body($list('a'), WireWriter::varint(3, 7)), MessageType::LogRecord),
        );
        self::assertSame(
            '{"body":{"arrayValue":{"values":[{"stringValue":"b"}]}}}',
            $json->of($body($list('a'), WireWriter::varint(3, 7), $list('b')), MessageType::LogRecord),
        );
        self::assertSame(
            '{"severityText":"b"}',
            $json->of(WireWriter::bytes(3, 'a').WireWriter::bytes(3, 'b'), MessageType::LogRecord),
        );
        self::assertSame('{}', $json->of(WireWriter::bytes(3, 'a')."\x1A\x00", MessageType::LogRecord));
    }

    #[Test]
    public function traces_are_not_taken_for_logs(): void
    {
        $span = new Span([
            'trace_id' => random_bytes(16),
            'span_id' => random_bytes(8),
            'name' => 'GET /',
            'kind' => 2,
            'start_time_unix_nano' => 1_800_000_000_000_000_000,
        ]);
        $spans = new ResourceSpans(['scope_spans' => [new ScopeSpans(['spans' => [$span, $span]])]]);
        $body = (new ExportTraceServiceRequest(['resource_spans' => [$spans]]))->serializeToString();
        $result = $this->harness()->post($body, self::HEADERS, '/v1/logs');
        $answer = new ExportLogsServiceResponse;
        $answer->mergeFromString($result->response->body);

        self::assertSame([200, 0], [$result->response->status, $result->count]);
        self::assertSame(2, (int) $answer->getPartialSuccess()?->getRejectedLogRecords());
        self::assertNotSame('', $answer->getPartialSuccess()?->getErrorMessage());
    }

    #[Test]
    public function a_record_that_is_broken_is_rejected_alone(): void
    {
        $good = (new LogRecord(['severity_text' => 'WARN']))->serializeToString();
        $records = WireWriter::bytes(2, $good).WireWriter::bytes(2, WireWriter::bytes(3, "\xFF"))
            .WireWriter::bytes(2, $good);
        $body = WireWriter::bytes(1, WireWriter::bytes(2, $records));
        $result = $this->harness()->post($body, self::HEADERS, '/v1/logs');
        $answer = new ExportLogsServiceResponse;
        $answer->mergeFromString($result->response->body);

        self::assertSame(
            [200, 2, ['invalid_data' => 1]],
            [$result->response->status, $result->count, $result->rejections],
        );
        self::assertSame(1, (int) $answer->getPartialSuccess()?->getRejectedLogRecords());
    }

    #[Test]
    public function values_without_an_end_are_too_deep_and_stop_nothing(): void
    {
        $value = '';

        for ($level = 0; $level < 3_000; $level++) {
            $value = WireWriter::bytes(5, WireWriter::bytes(1, $value === '' ? WireWriter::varint(3, 1) : $value));
        }

        $body = WireWriter::bytes(1, WireWriter::bytes(2, WireWriter::bytes(2, WireWriter::bytes(5, $value))));
        $result = $this->harness()->post($body, self::HEADERS, '/v1/logs');

        self::assertSame([200, ['too_deep' => 1]], [$result->response->status, $result->rejections]);
    }

    #[Test]
    public function it_is_read_compressed_and_under_both_of_its_names(): void
    {
        $body = RandomLogs::request(new Randomizer(new Mt19937(1)))->serializeToString();
        $plain = $this->harness()->post($body, self::HEADERS, '/v1/logs');

        foreach (['application/x-protobuf', 'application/protobuf', 'Application/X-Protobuf; charset=utf-8'] as $type) {
            $packed = $this->harness()
                ->post((string) gzencode($body), ['content-type' => $type, 'content-encoding' => 'gzip'], '/v1/logs');
            self::assertSame([200, $plain->count], [$packed->response->status, $packed->count], $type);
        }
    }

    #[Test]
    public function written_numbers_are_read_by_googles_library(): void
    {
        foreach ([0, 1, 127, 128, 300, 1 << 31, PHP_INT_MAX, -1, PHP_INT_MIN] as $number) {
            $answer = new ExportLogsServiceResponse;
            $answer->mergeFromString(WireWriter::bytes(1, WireWriter::varint(1, $number).WireWriter::bytes(2, 'é')));

            self::assertSame((string) $number, (string) ($answer->getPartialSuccess()?->getRejectedLogRecords() ?? 0));
        }
    }

    /** @return array{Randomizer, int} */
    private static function plan(int $cases): array
    {
        $seed = getenv('HEADROOM_FUZZ_SEED');
        $more = getenv('HEADROOM_FUZZ_CASES');

        return [
            new Randomizer(new Mt19937($seed === false ? 20_261_127 : (int) $seed)),
            $more === false ? $cases : (int) $more,
        ];
    }

    private static function mutated(string $bytes, Randomizer $random): string
    {
        for ($times = $random->getInt(0, 2); $times > 0 && $bytes !== ''; $times--) {
            $at = $random->getInt(0, strlen($bytes) - 1);
            $bytes = match ($random->getInt(0, 3)) {
                0 => substr($bytes, 0, $at).chr($random->getInt(0, 255)).substr($bytes, $at + 1),
                1 => substr($bytes, 0, $at).substr($bytes, $at + 1),
                2 => substr($bytes, 0, $at),
                // Messages one behind the other are one message. This library does not merge those within them.
                default => $bytes.RandomLogs::record($random, false)->serializeToString(),
            };
        }

        return $bytes;
    }

    /** A whole number and one with a fraction of nothing are the same in JSON. */
    private static function floats(mixed $json): mixed
    {
        return is_array($json)
            ? array_map(self::floats(...), $json)
            : (is_float($json) && floor($json) === $json && abs($json) < 1e15 ? (int) $json : $json);
    }

    /** @return list<array<string, mixed>> */
    private static function comparable(string $lines): array
    {
        $rows = $lines === '' ? [] : PipelineHarness::rows($lines);

        foreach ($rows as $number => $row) {
            $rows[$number]['data'] = self::floats(json_decode(
                is_string($row['data']) ? $row['data'] : '',
                true,
                512,
                JSON_THROW_ON_ERROR,
            ));
        }

        return $rows;
    }
}
