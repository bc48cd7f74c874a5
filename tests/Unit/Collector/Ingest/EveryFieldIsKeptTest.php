<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Ingest;

use Headroom\Collector\IngestResult;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * A request that is answered with a success is stored, or its answer lists the parts that are not. HEADROOM_FUZZ_CASES
 * asks for more cases, HEADROOM_FUZZ_SEED for the same.
 */
final class EveryFieldIsKeptTest extends IngestTestCase
{
    private const CASES = 300;

    /** Events that are wrong in one of several ways, in every format. */
    private const WRONG = [
        'null', '1', '"text"', '[]', '[{"type":"a"}]', '{', '{"type":}',
        '{"time":5,"timeUnixNano":"soon","timestamp":true}', "\"\xFF\"", '{"a":1,"a":2}',
    ];

    /**
     * @return iterable<string, array{string, string, string, string, string}> path, media type, an event,
     *     and what is around all
     */
    public static function formats(): iterable
    {
        $log = '{"timeUnixNano":"1544712660300000000","body":{"stringValue":"x"}}';
        $snake = '{"time_unix_nano":"1544712660300000000","body":{"string_value":"x"}}';
        $cloud = '{"specversion":"1.0","id":"1","source":"s","type":"t"}';

        yield 'a list' => ['/v1/events', 'application/json', '{"type":"a"}', '[', ']'];
        yield 'CloudEvents' => ['/v1/events', 'application/cloudevents-batch+json', $cloud, '[', ']'];
        yield 'Segment' => [
            '/v1/batch', 'application/json', '{"type":"page"}', '{"sentAt":"x","batch":[', '],"context":{}}',
        ];
        yield 'Segment in browsers' => ['/v1/b', 'text/plain', '{"type":"page"}', '{"batch":[', '],"writeKey":"k"}'];
        yield 'metrics of Segment' => [
            '/v1/m', 'text/plain', '{"type":"Counter","metric":"m","value":1}', '{"series":[', ']}',
        ];
        yield 'RudderStack' => ['/beacon/v1/batch', 'text/plain', '{"type":"page"}', '{"batch":[', ']}'];
        yield 'OTLP' => [
            '/v1/logs', 'application/json', $log, '{"resourceLogs":[{"scopeLogs":[{"logRecords":[', ']}]}]}',
        ];
        yield 'OTLP in snake_case' => [
            '/v1/logs', 'application/json', $snake, '{"resource_logs":[{"scope_logs":[{"log_records":[', ']}]}]}',
        ];
    }

    #[Test]
    #[DataProvider('formats')]
    public function events_are_taken_or_named(
        string $path,
        string $type,
        string $event,
        string $before,
        string $after,
    ): void {
        $random = self::random();
        $stored = 0;

        for ($case = 0; $case < self::cases(); $case++) {
            $events = array_map(
                static fn (): string
                    => $random->getInt(0, 2) === 0 ? self::WRONG[$random->getInt(0, count(self::WRONG) - 1)] : $event,
                array_fill(0, $random->getInt(1, 5), 0),
            );
            $body = $before.implode(',', $events).$after;
            $result = $this->harness()->post($body, ['content-type' => $type], $path);

            self::assertKept(count($events), $result, $body);
            $stored += $result->count;
        }

        self::assertGreaterThan(0, $stored);
    }

    #[Test]
    public function lines_are_taken_or_named(): void
    {
        $random = self::random();

        for ($case = 0; $case < self::cases(); $case++) {
            $events = array_map(
                static fn (): string => [...self::WRONG, '{"type":"a"}'][$random->getInt(0, count(self::WRONG))],
                array_fill(0, $random->getInt(1, 5), 0),
            );
            $body = implode(["\n", "\r\n", "\n \n\n"][$random->getInt(0, 2)], $events);

            self::assertKept(
                count($events),
                $this->harness()->post($body, ['content-type' => 'application/x-ndjson']),
                $body,
            );
        }
    }

    /** Where events lie in it is wrong: a name, a level, a neighbour, another kind of body. */
    #[Test]
    #[DataProvider('formats')]
    public function a_body_of_another_shape_is_refused_or_said_to_be_unread(
        string $path,
        string $type,
        string $event,
        string $before,
        string $after,
    ): void {
        $random = self::random();
        $other = [
            '"other":[%s]', '"events":[%s]', '"resourceSpans":[{"scopeSpans":[{"spans":[%s]}]}]', '"messages":%s',
            '"batch":[%s]', '"resourceLogs":[%s]', '"x":"y"',
        ];

        for ($case = 0; $case < self::cases(); $case++) {
            $sent = $random->getInt(1, 3);
            $events = implode(',', array_fill(0, $sent, $event));
            $names = '/"(resource_?logs|scope_?logs|log_?records|batch|series)"/i';
            $body = match ($random->getInt(0, 5)) {
                // One name of the way is another.
                0 => (string) preg_replace_callback(
                    $names,
                    static fn (array $m): string => $random->getInt(0, 1) === 0 ? '"renamed"' : $m[0],
                    $before.$events.$after,
                ),
                // Nothing but neighbours.
                1 => '{'.sprintf($other[$random->getInt(0, count($other) - 1)], $events).'}',
                // The list and a neighbour, each with events.
                2 => self::with(
                    sprintf($other[$random->getInt(0, count($other) - 1)], $events),
                    $before.$events.$after,
                ),
                // A list within a list, or around all.
                3 => $before."[{$events}]".$after,
                4 => "[{$before}{$events}{$after}]",
                default => '{"data":'.$before.$events.$after.'}',
            };
            $result = $this->harness()->post($body, ['content-type' => $type], $path);

            if ($result->response->status >= 400 || self::warning($result) !== '') {
                continue;
            }

            // Neighbours are kept with each event.
            $isWhole = $path !== '/v1/logs' && $result->count > 0 && self::hasMembers($result, $body);
            $kept = $result->count + array_sum($result->rejections);
            self::assertTrue(
                $isWhole || $kept >= substr_count($body, $event),
                "{$body} gave {$result->response->status} {$result->response->body}",
            );
        }
    }

    /** @return iterable<string, array{string}> */
    public static function notLogs(): iterable
    {
        yield 'traces' => ['{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"x"}]}]}]}'];
        yield 'metrics' => ['{"resourceMetrics":[{"scopeMetrics":[]}]}'];
        yield 'a single event' => ['{"type":"order.placed"}'];
        yield 'a word' => ['{"logs":"x"}'];
        yield 'an old name' => ['{"resourceLogs":[{"instrumentationLibraryLogs":[{"logs":[{}]}]}]}'];
        yield 'records where scopes are' => ['{"resourceLogs":[{"logRecords":[{}]}]}'];
        yield 'two lists' => ['{"resourceLogs":[],"resource_logs":[]}'];
        yield 'a list' => ['[{"resourceLogs":[]}]'];
        yield 'a text' => ['"resourceLogs"'];
        yield 'nothing' => [''];
    }

    #[Test]
    #[DataProvider('notLogs')]
    public function what_is_no_request_with_logs_is_refused(string $body): void
    {
        $result = $this->harness()->post($body, path: '/v1/logs');

        self::assertSame([400, 0], [$result->response->status, $result->count], $result->response->body);
        self::assertSame(3, PipelineHarness::body($result)['code']);
    }

    #[Test]
    public function a_neighbour_of_logs_is_named_and_one_that_is_empty_is_not(): void
    {
        $logs = '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{}]}]}],%s}';
        $named = $this->harness()->post(sprintf($logs, '"resourceSpans":[{"scopeSpans":[]}]'), path: '/v1/logs');
        $empty = $this->harness()->post(sprintf($logs, '"resourceSpans":[ ],"a":null,"b":{}'), path: '/v1/logs');

        self::assertSame(
            [200, 1, '0'],
            [$named->response->status, $named->count, self::partial($named)['rejectedLogRecords'] ?? null],
        );
        self::assertStringContainsString('resourceSpans', self::warning($named));
        self::assertSame([200, 1, '{}'], [$empty->response->status, $empty->count, $empty->response->body]);
    }

    #[Test]
    public function both_spellings_store_the_same(): void
    {
        $camel = '{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},'
            .'"scopeLogs":[{"scope":{"name":"n"},"logRecords":[{"timeUnixNano":"1544712660300000000",'
            .'"observedTimeUnixNano":"1","severityNumber":9,"severityText":"a \"time_unix_nano\":'
            .' b","eventName":"e","traceId":"00","spanId":"00","droppedAttributesCount":1,'
            .'"body":{"kvlistValue":{"values":[{"key":"time_unix_nano",'
            .'"value":{"arrayValue":{"values":[{"intValue":"1"},{"boolValue":true},{"doubleValue":1.0},'
            .'{"bytesValue":""}]}}}]}}}]}]}]}';
        $snake = (string) preg_replace_callback(
            '/"(resourceLogs|scopeLogs|logRecords|\w+UnixNano|severity\w+|eventName|traceId|spanId|droppedAttributesCount|\w+Value)":/',
            static fn (array $m): string => '"'.strtolower((string) preg_replace('/[A-Z]/', '_$0', $m[1])).'" :',
            $camel,
        );
        self::assertStringContainsString('"kvlist_value" :', $snake);

        $one = $this->harness()->post($camel, path: '/v1/logs');
        $two = $this->harness()->post($snake, path: '/v1/logs');

        self::assertSame(1, $one->count);
        self::assertSame($one->lines, str_replace('" :', '":', $two->lines));
    }

    private static function hasMembers(IngestResult $result, string $body): bool
    {
        $members = json_decode($body, true);
        $names = array_diff(
            array_keys(is_array($members) && ! array_is_list($members) ? $members : []),
            ['batch', 'series', 'writeKey', 'type', 'data'],
        );
        $row = PipelineHarness::rows($result->lines)[0];
        $stored = json_encode([$row['data'], $row['extensions']], JSON_THROW_ON_ERROR);

        return array_filter($names, static fn (int|string $name): bool => ! str_contains($stored, "\\\"{$name}\\\""))
            === [];
    }

    private static function assertKept(int $sent, IngestResult $result, string $body): void
    {
        if ($result->response->status < 400) {
            self::assertSame(
                $sent,
                $result->count + array_sum($result->rejections),
                "{$body} gave {$result->response->status} {$result->response->body}",
            );
        }
    }

    private static function with(string $member, string $body): string
    {
        return str_starts_with($body, '{') ? '{'.$member.','.substr($body, 1) : $body;
    }

    private static function warning(IngestResult $result): string
    {
        $message = self::partial($result)['errorMessage'] ?? '';

        return is_string($message) ? $message : '';
    }

    /** @return array<array-key, mixed> */
    private static function partial(IngestResult $result): array
    {
        $body = json_decode($result->response->body, true);
        $partial = is_array($body) ? $body['partialSuccess'] ?? [] : [];

        return is_array($partial) ? $partial : [];
    }

    private static function random(): Randomizer
    {
        $seed = getenv('HEADROOM_FUZZ_SEED');

        return new Randomizer(new Mt19937($seed === false ? 20_261_127 : (int) $seed));
    }

    private static function cases(): int
    {
        $cases = getenv('HEADROOM_FUZZ_CASES');

        return $cases === false ? self::CASES : (int) $cases;
    }
}
