<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Ingest;

use Headroom\Collector\Ingest\Protobuf\WireWriter;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;

/**
 * Fields of OTLP in Protocol Buffers that a later version may bring: the answer names one that is not stored.
 */
final class UnreadFieldsTest extends IngestTestCase
{
    /** @return iterable<string, array{string, string, int}> bytes of a field, with its number */
    public static function fields(): iterable
    {
        foreach (self::places() as $place => $request) {
            yield "a number in {$place}" => [$request("\xF8\x01\x05"), $place, 31];
            yield "bytes in {$place}" => [$request("\xFA\x01\x01a"), $place, 31];
            yield "a group in {$place}" => [$request("\xFB\x01\x08\x01\xFC\x01"), $place, 31];
            yield "a group of a known number in {$place}" => [$request("\x0B\x0C"), $place, 1];
        }
    }

    #[Test]
    #[DataProvider('fields')]
    public function an_answer_names_a_field_that_is_not_stored(string $body, string $place, int $number): void
    {
        $result = $this->harness()->post($body, ['content-type' => 'application/x-protobuf'], '/v1/logs');

        self::assertSame([200, 1], [$result->response->status, $result->count]);
        self::assertStringContainsString("field {$number}", $result->response->body);
        // Field 1 of partialSuccess is the number of rejected records, which is left out where it is 0.
        self::assertSame("\x12", $result->response->body[2]);
        preg_match('/\A[A-Z]\w+/', $place, $message);
        self::assertStringContainsString($message[0] ?? '', $result->response->body);
    }

    #[Test]
    public function a_body_of_nothing_but_groups_is_refused(): void
    {
        $headers = ['content-type' => 'application/x-protobuf'];

        $group = "\x13\x14";

        foreach ([$group, WireWriter::bytes(1, $group), WireWriter::bytes(1, WireWriter::bytes(2, $group))] as $body) {
            $result = $this->harness()->post($body, $headers, '/v1/logs');
            self::assertSame([400, 0], [$result->response->status, $result->count], bin2hex($body));
        }
    }

    /** @return array<string, callable(string): string> a request with one record, and with the field in a place */
    private static function places(): array
    {
        $logs = static fn (string $record, string $scope = '', string $resource = ''): string => WireWriter::bytes(
            1,
            WireWriter::bytes(2, WireWriter::bytes(2, "\x10\x09{$record}").$scope).$resource,
        );
        $body = static fn (string $value): string => WireWriter::bytes(5, $value);

        return [
            'the request' => static fn (string $field): string => $logs('').$field,
            'its logs of a resource' => static fn (string $field): string => $logs('', resource: $field),
            'its logs of a scope' => static fn (string $field): string => $logs('', $field),
            'Resource' => static fn (string $field): string => $logs('', resource: WireWriter::bytes(1, $field)),
            'InstrumentationScope' => static fn (string $field): string => $logs('', WireWriter::bytes(1, $field)),
            'LogRecord' => static fn (string $field): string => $logs($field),
            'KeyValue' => static fn (string $field): string => $logs(WireWriter::bytes(6, $field)),
            'AnyValue' => static fn (string $field): string => $logs($body($field)),
            'ArrayValue' => static fn (string $field): string => $logs($body(WireWriter::bytes(5, $field))),
        ];
    }
}
