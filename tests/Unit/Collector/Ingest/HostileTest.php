<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Ingest;

use Closure;
use Headroom\Collector\Ingest\ErrorCode;
use Headroom\Collector\Ingest\IngestLimits;
use Headroom\Collector\Ingest\IngestSettings;
use Headroom\Collector\Ingest\Json\JsonObject;
use Headroom\Collector\Ingest\Json\JsonScanner;
use Headroom\Collector\Ingest\RequestError;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;

final class HostileTest extends IngestTestCase
{
    private const MIB = 1_048_576;

    /**
     * @return iterable<string, array{string, string, Closure(): string, int}> path, type, body, status; all bodies at
     *     once would take 57 MB of every test that comes before
     */
    public static function bodies(): iterable
    {
        $json = 'application/json';
        $full = 5 * self::MIB;

        yield 'brackets' => ['/v1/events', $json, static fn (): string => str_repeat('[', $full), 400];
        yield 'braces' => ['/v1/events', $json, static fn (): string => str_repeat('{"a":', intdiv($full, 5)), 413];
        yield 'balanced braces in an array' => [
            '/v1/events',
            $json,
            static fn (): string => '['.str_repeat('{"a":', 500_000).'1'.str_repeat('}', 500_000).']',
            400,
        ];
        yield 'brackets in a batch' => [
            '/v1/batch',
            $json,
            static fn (): string => '{"batch":'.str_repeat('[', 2_000_000).str_repeat(']', 2_000_000).'}',
            400,
        ];
        yield 'brackets in logs' => [
            '/v1/logs',
            $json,
            static fn (): string => '{"resourceLogs":'.str_repeat('[', 2_000_000).str_repeat(']', 2_000_000).'}',
            400,
        ];
        yield 'brackets in an event' => [
            '/v1/events', $json, static fn (): string => '{"type":"t","data":'.str_repeat('[', 200_000).'}', 400,
        ];
        yield 'balanced brackets in an event' => [
            '/v1/events',
            $json,
            static fn (): string => '{"type":"t","data":'.str_repeat('[', 100_000).str_repeat(']', 100_000).'}',
            400,
        ];
        yield 'balanced brackets in an array' => [
            '/v1/events',
            $json,
            static fn (): string => '['.str_repeat('[', 2_000_000).str_repeat(']', 2_000_000).']',
            400,
        ];
        yield 'a million commas' => [
            '/v1/events', $json, static fn (): string => '['.str_repeat(',', 1_000_000).']', 400,
        ];
        yield 'a million ones' => [
            '/v1/events', $json, static fn (): string => '['.str_repeat('1,', 1_000_000).'1]', 413,
        ];
        yield 'a million lines' => [
            '/v1/events', 'application/x-ndjson', static fn (): string => str_repeat("1\n", 1_000_000), 413,
        ];
        yield 'five million empty lines' => [
            '/v1/events', 'application/x-ndjson', static fn (): string => str_repeat("\n", $full), 400,
        ];
        yield 'a million members' => [
            '/v1/events', $json, static fn (): string => '{"type":"t"'.str_repeat(',"a":1', 40_000).'}', 422,
        ];
        yield 'a million members of a batch' => [
            '/v1/batch', $json, static fn (): string => '{"x":1'.str_repeat(',"a":1', 800_000).'}', 400,
        ];
        yield 'a million members of logs' => [
            '/v1/logs', $json, static fn (): string => '{"x":1'.str_repeat(',"a":1', 800_000).'}', 400,
        ];
        yield 'a million resources' => [
            '/v1/logs', $json, static fn (): string => '{"resourceLogs":['.str_repeat('{},', 1_000_000).'{}]}', 413,
        ];
        yield 'a text without an end' => [
            '/v1/events', $json, static fn (): string => '["'.str_repeat('\\\\', 2_000_000), 400,
        ];
        yield 'many texts' => [
            '/v1/events', $json, static fn (): string => '[['.str_repeat('"",', 1_000_000).'""]]', 413,
        ];
        yield 'a number of a million digits' => [
            '/v1/events', $json, static fn (): string => '['.str_repeat('1', 1_000_000).']', 413,
        ];
        yield 'half a character' => ['/v1/events', $json, static fn (): string => '{"type":"t","data":"\ud800"}', 400];
        yield 'bytes' => ['/v1/events', $json, static fn (): string => random_bytes(1_000), 400];
        yield 'NUL' => ['/v1/events', $json, static fn (): string => "\0", 400];
        yield 'behind the end' => ['/v1/events', $json, static fn (): string => '[{"type":"t"}] []', 400];
        yield 'a comma too many' => ['/v1/events', $json, static fn (): string => '[{"type":"t"},]', 400];
        yield 'a form feed is no space' => ['/v1/events', $json, static fn (): string => "[{\"type\":\"t\"}\f]", 400];
    }

    /** @param Closure(): string $body */
    #[Test]
    #[DataProvider('bodies')]
    public function is_answered_and_takes_little_memory(string $path, string $type, Closure $body, int $status): void
    {
        $harness = $this->harness();
        $body = $body();
        memory_reset_peak_usage();
        $before = memory_get_usage();
        $result = $harness->post($body, ['content-type' => $type], $path);

        self::assertSame(
            [$status, 0],
            [$result->response->status, $result->count],
            substr($result->response->body, 0, 500),
        );
        self::assertLessThan(48 * self::MIB, memory_get_peak_usage() - $before);
        self::assertLessThan(65_536, strlen($result->response->body));
    }

    #[Test]
    public function a_body_that_is_nested_beyond_all_measure_is_not_read_to_its_end(): void
    {
        self::refused(
            400,
            'too_deep',
            $this->harness()->post('['.str_repeat('[', 2_000_000).str_repeat(']', 2_000_000).']'),
        );

        foreach (['1' => ',', '0' => null] as $levels => $stop) {
            $depth = JsonScanner::MAX_LEVELS + 1 - $levels;

            try {
                self::assertSame(
                    $stop,
                    JsonScanner::part(str_repeat('[', $depth).str_repeat(']', $depth).',', 0, false)[2] ?? '',
                );
            } catch (RequestError $e) {
                self::assertSame([null, ErrorCode::TooDeep], [$stop, $e->reason]);
            }
        }
    }

    /** Where they fall into one place of PHP's table, to put them in takes a third of a second. */
    #[Test]
    public function many_names_make_no_table(): void
    {
        $data = '{'
            .implode(',', array_map(static fn (int $number): string => '"'.$number * 65_536 .'":0', range(1, 18_000)))
            .'}';
        $text = '{"type":"t","x":1,"data":'.$data.'}';
        $members = new JsonObject(64);
        memory_reset_peak_usage();
        $before = memory_get_usage();
        [$values, $texts] = $members->read($text, self::MIB);

        self::assertLessThan(self::MIB, memory_get_peak_usage() - $before);
        self::assertSame(['t', 1, $data, '"t"'], [$values['type'], $values['x'], $texts['data'], $texts['type']]);
    }

    #[Test]
    public function an_event_of_many_names_is_read_as_one_of_few(): void
    {
        $harness = $this->harness();
        $many = implode(',', array_map(static fn (int $number): string => "\"n{$number}\": {$number}", range(1, 300)));
        $data = '{'.$many.',"\\u00e9\\ud83d\\ude00\\"\\\\" : ["a\\":", {"":null}]}';
        $row = self::row($harness->post('{"type":"t\u0041","id":"\"", "x:" : {} ,"subject":null,"data":'.$data.'}'));
        self::assertSame(
            ['tA', '"', '{"x:":{}}', null, $data],
            [$row['type'], $row['id'], $row['extensions'], $row['subject'], $row['data']],
        );

        foreach ([
            "\"\xFF\":1" => 'not_utf8',
            "\"\n\":1" => 'not_json',
            '"\ud800":1' => 'not_json',
            '"\x":1' => 'not_json',
            '"a":1,' => 'not_json',
            '"a"' => 'not_json',
            '1:1' => 'not_json',
            '"a":'.str_repeat('[', 64).str_repeat(']', 64) => 'too_deep',
        ] as $member => $code) {
            self::refused(400, $code, $harness->post("{\"type\":\"t\",\"data\":{{$many},{$member}}}"));
        }

        self::refused(422, 'duplicate_member', $harness->post("{\"type\":\"t\",\"type\":\"t\",\"data\":{{$many}}}"));
        self::refused(422, 'too_many_members', $harness->post("{\"type\":\"t\",{$many}}"));
        self::refused(422, 'invalid_type', $harness->post("{\"type\":[],\"data\":{{$many}}}"));
        self::refused(422, 'not_an_object', $harness->post("[[{{$many}}]]"));
    }

    /** @return iterable<string, array{string, string}> */
    public static function bombs(): iterable
    {
        $zeros = str_repeat("\0", 100 * self::MIB);

        yield 'gzip' => ['gzip', (string) gzencode($zeros, 9)];
        yield 'zlib' => ['deflate', (string) gzcompress($zeros, 9)];
        yield 'raw deflate' => ['deflate', (string) gzdeflate($zeros, 9)];
        yield 'many members' => ['gzip', str_repeat((string) gzencode(str_repeat(' ', self::MIB), 9), 100)];
    }

    #[Test]
    #[DataProvider('bombs')]
    public function a_bomb_is_not_inflated(string $coding, string $bomb): void
    {
        $harness = $this->harness();
        memory_reset_peak_usage();
        $before = memory_get_usage();

        self::refused(
            413,
            'body_too_large',
            $harness->post($bomb, ['content-type' => 'application/json', 'content-encoding' => $coding]),
        );
        self::assertLessThan(24 * self::MIB, memory_get_peak_usage() - $before);
    }

    #[Test]
    public function codings(): void
    {
        $harness = $this->harness();
        $event = '{"type":"t","data":"'.bin2hex(random_bytes(20_000)).'"}';
        $half = intdiv(strlen($event), 2);
        $coded = [
            'gzip' => gzencode($event), 'X-GZIP' => gzencode($event), 'deflate' => gzcompress($event),
            ' Deflate ' => gzdeflate($event), 'identity' => $event,
            'GZIP' => gzencode(substr($event, 0, $half)).gzencode(substr($event, $half)),
        ];

        foreach ($coded as $coding => $body) {
            self::assertSame(
                1,
                $harness->post(
                    (string) $body,
                    ['content-type' => 'application/json', 'content-encoding' => $coding],
                )->count,
                $coding,
            );
        }

        foreach ([
            'gzip' => gzencode($event).'x',
            'deflate' => gzcompress($event).'x',
            'x-gzip' => '',
        ] as $coding => $body) {
            self::refused(400, 'broken_encoding', $harness->post($body, ['content-encoding' => $coding]));
        }

        self::refused(
            400,
            'broken_encoding',
            $harness->post(str_repeat((string) gzencode(''), 2_000), ['content-encoding' => 'gzip']),
        );
        self::refused(415, 'unsupported_encoding', $harness->post($event, ['content-encoding' => 'gzip, gzip']));
    }

    #[Test]
    public function limits_are_where_they_say(): void
    {
        $limits = new IngestLimits(eventBytes: 1_024, batchBytes: 4_096, batchEvents: 3, depth: 4);
        $harness = $this->harness(new IngestSettings(isAuthenticated: false, limits: $limits));
        $event = static fn (int $bytes): string => '{"type":"'.str_repeat('t', 200).'","data":"'
            .str_repeat('x', $bytes - 221).'"}';

        self::assertSame(1_024, strlen($event(1_024)));

        // The second time by its shape.
        foreach ([1, 2] as $time) {
            self::assertSame(1, $harness->post($event(1_024))->count);
            self::refused(413, 'event_too_large', $harness->post($event(1_025)));
            self::assertSame(1, $harness->post('{"type":"t","data":[[[]]]}')->count);
            self::refused(400, 'too_deep', $harness->post('{"type":"t","data":[[[[]]]]}'));
            self::assertSame(1, $harness->post('{"type":"'.str_repeat('t', 256).'","data":1}')->count);
            self::refused(422, 'invalid_type', $harness->post('{"type":"'.str_repeat('t', 257).'","data":1}'));
            self::refused(422, 'invalid_type', $harness->post("{\"type\":\"a\x7F\",\"data\":1}"));
        }

        self::assertSame(3, $harness->post('[{"type":"t"},{"type":"t"},{"type":"t"}]')->count);
        self::refused(413, 'body_too_large', $harness->post(str_repeat(' ', 4_097)));
        self::refused(
            413,
            'body_too_large',
            $harness->post((string) gzencode(str_repeat(' ', 4_097)), ['content-encoding' => 'gzip']),
        );
    }

    #[Test]
    public function an_event_that_the_buffer_cannot_append_at_once_is_refused(): void
    {
        $event = '{"type":"t","data":"'.str_repeat('\\"', 120_000).'"}';

        self::refused(
            413,
            'body_too_large',
            $this->harness()->post('['.implode(',', array_fill(0, 20, $event)).']'),
        );
    }

    #[Test]
    public function without_room_for_pcre_json_is_cut_by_hand(): void
    {
        self::assertSame(['"a"', '{"b":[1,"]"]}', ',', 22], JsonScanner::part(' "a" : {"b":[1,"]"]} ,', 0, true));
        self::assertSame(['', '"\\\\\\""', ']', 9], JsonScanner::part(' "\\\\\\"" ]', 0, false));

        foreach (['"a', '{"a":[}', '[1,', '', '"a"', '1'] as $broken) {
            self::assertNull(JsonScanner::part($broken, 0, false), $broken);
        }

        $limit = (string) ini_set('pcre.backtrack_limit', '1');
        $jit = (string) ini_set('pcre.jit', '0');

        try {
            $result = $this->harness()
                ->post('[{"type":"by hand","data":[1.0,{"a":"]"}],"x\u0041":{}},{"type":"b"}]');
        } finally {
            ini_set('pcre.backtrack_limit', $limit);
            ini_set('pcre.jit', $jit);
        }

        self::assertSame(2, $result->count, $result->response->body);
        $rows = PipelineHarness::rows($result->lines);
        self::assertSame(
            ['by hand', '[1.0,{"a":"]"}]', '{"xA":{}}'],
            [$rows[0]['type'], $rows[0]['data'], $rows[0]['extensions']],
        );
    }
}
