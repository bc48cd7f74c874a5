<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Wire\Support;

/**
 * A request for each thing that can be wrong with the body of one, or with its bytes.
 */
final readonly class Codes
{
    private const PATH = '/v1/events';

    /** @param array<string, string> $key header */
    public function __construct(private array $key) {}

    /** @return iterable<Ask> */
    public function all(): iterable
    {
        foreach ($this->events() as [$code, $status, $body]) {
            yield $this->post($status, $code, $body);
        }

        // Among others, each is one of the errors.
        foreach ($this->events() as [$code, , $body]) {
            yield $this->post(202, null, "{\"type\":\"t\"}\n{$body}", ['Content-Type' => 'application/x-ndjson']);
        }

        yield from $this->formats();
        yield from $this->requests();
        yield from $this->bytes();
    }

    /** @return list<array{string, int, string}> code, status where it is alone, the event */
    private function events(): array
    {
        return [
            ['not_json', 400, '{"type":}'],
            ['not_utf8', 400, "{\"type\":\"\xFF\"}"],
            ['too_deep', 400, '{"type":"t","data":'.str_repeat('[', 64).str_repeat(']', 64).'}'],
            ['not_an_object', 422, '"event"'],
            ['duplicate_member', 422, '{"type":"t","data":1,"data":2}'],
            [
                'too_many_members',
                422,
                '{"type":"t"'.implode('', array_map(static fn (int $n): string => ",\"m{$n}\":1", range(1, 256))).'}',
            ],
            ['missing_type', 422, '{}'],
            ['invalid_type', 422, '{"type":7}'],
            ['missing_id', 422, '{"specversion":"1.0","type":"t","source":"s"}'],
            ['invalid_id', 422, '{"type":"t","id":""}'],
            ['missing_source', 422, '{"specversion":"1.0","type":"t","id":"1"}'],
            ['invalid_source', 422, '{"type":"t","source":["x"]}'],
            ['invalid_subject', 422, '{"type":"t","subject":7}'],
            ['invalid_time', 422, '{"type":"t","time":"yesterday"}'],
            ['invalid_data', 422, '{"type":"t","data_base64":"?"}'],
            ['unsupported_specversion', 422, '{"specversion":"2.0","type":"t","id":"1","source":"s"}'],
            ['unknown_type', 422, '{"type":"nobody.knows"}'],
            ['schema_mismatch', 422, '{"type":"strict","data":"no object"}'],
            ['event_too_large', 413, '{"type":"t","data":"'.str_repeat('x', 5_000).'"}'],
        ];
    }

    /** @return iterable<Ask> each media type that is described */
    private function formats(): iterable
    {
        $event = '{"specversion":"1.0","type":"t","id":"1","source":"/s","time":"2026-07-14T03:33:20Z"}';

        foreach (['application/json', 'text/json', 'application/cloudevents+json'] as $type) {
            yield $this->post(202, null, $event, ['Content-Type' => $type]);
        }

        foreach ([
            'application/x-ndjson', 'application/ndjson', 'application/jsonl', 'application/x-jsonl',
            'application/jsonlines', 'application/x-jsonlines',
        ] as $type) {
            yield $this->post(202, null, "{\"type\":\"t\"}\n{\"type\":\"t\"}\n", ['Content-Type' => $type]);
        }

        yield $this->post(202, null, "[{$event},{$event}]", ['Content-Type' => 'application/cloudevents-batch+json']);
        yield $this->post(
            202,
            null,
            '[{"type":"t"},{"type":"t","id":null,"data_base64":"AA=="}]',
            ['Content-Type' => 'application/json'],
        );
        yield $this->post(202, null, '{"a":1}', [
            'Content-Type' => 'application/json',
            'ce-specversion' => '1.0',
            'ce-id' => '1',
            'ce-source' => '/s',
            'ce-type' => 't',
            'ce-time' => '2026-07-14T03:33:20Z',
            'ce-subject' => 'a%20b',
        ]);
        yield $this->post(202, null, '[{"_id":"n/b/1","_accepted_at":"2026-07-14T03:33:20Z","type":"t","level":3}]', [
            'Content-Type' => 'application/json',
            'Headroom-Bucket' => 'logs',
        ]);
        yield $this->post(207, null, '[{"_id":"n/b/1","type":"t"},{"type":"t"}]', [
            'Content-Type' => 'application/json',
            'Headroom-Bucket' => 'logs',
            'Origin' => 'https://shop.example',
        ]);
        yield $this->post(202, null, (string) gzcompress('{"type":"t"}'), ['Content-Encoding' => 'deflate']);
        yield $this->post(202, null, '{"type":"t"}', ['Prefer' => 'return=minimal', 'Idempotency-Key' => 'k-1']);
    }

    /** @return iterable<Ask> */
    private function requests(): iterable
    {
        yield $this->post(400, 'no_events', '');
        yield $this->post(422, 'nothing_kept', '[{"type":"t"},{}]', ['Prefer' => 'atomic']);
        yield new Ask('POST', self::PATH, 422, 'nothing_kept', $this->key, '[{"type":"t"},{}]', 'atomic=1');
        yield $this->post(422, 'nothing_accepted', '[{},5]');
        yield $this->post(400, 'nothing_accepted', "{\"type\":}\n\"\xFF\"", ['Content-Type' => 'application/x-ndjson']);
        yield $this->post(400, 'broken_encoding', 'no gzip', ['Content-Encoding' => 'gzip']);
        yield $this->post(400, 'invalid_idempotency_key', '{"type":"t"}', ['Idempotency-Key' => '""']);
        yield $this->post(413, 'too_many_events', '['.implode(',', array_fill(0, 6, '{"type":"t"}')).']');
        yield $this->post(413, 'body_too_large', str_repeat(' ', 40_000));
    }

    /** @return iterable<Ask> bytes that cannot be read as a request */
    private function bytes(): iterable
    {
        $post = 'POST /v1/events HTTP/1.1';
        $host = "\r\nHost: a\r\n";

        yield $this->raw(400, 'tls_on_plain_port', "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".str_repeat('x', 300));
        yield $this->raw(400, 'bad_request_line', "POST  /v1/events HTTP/1.1{$host}\r\n");
        yield $this->raw(400, 'bad_method', "PO(ST /v1/events HTTP/1.1{$host}\r\n");
        yield $this->raw(400, 'bad_target', "POST v1/events HTTP/1.1{$host}\r\n");
        yield $this->raw(400, 'bad_line_ending', "{$post}\nHost: a\r\n\r\n");
        yield $this->raw(400, 'folded_header', "{$post}{$host} folded\r\n\r\n");
        yield $this->raw(400, 'bad_header_name', "{$post}{$host}Bad Name: x\r\n\r\n");
        yield $this->raw(400, 'bad_header_value', "{$post}{$host}X: \x07\r\n\r\n");
        yield $this->raw(400, 'host_missing', "{$post}\r\nX: y\r\n\r\n");
        yield $this->raw(400, 'bad_host', "{$post}\r\nHost: a b\r\n\r\n");
        yield $this->raw(
            400,
            'ambiguous_length',
            "{$post}{$host}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
        );
        yield $this->raw(400, 'bad_content_length', "{$post}{$host}Content-Length: 3x\r\n\r\n");
        yield $this->raw(400, 'bad_chunk', "{$post}{$host}Transfer-Encoding: chunked\r\n\r\nzz\r\n");
        yield $this->raw(
            400,
            'chunk_extensions_too_large',
            "{$post}{$host}Transfer-Encoding: chunked\r\n\r\n1;".str_repeat('x', 17_000)."\r\n",
        );
        yield $this->raw(408, 'request_timeout', "{$post}{$host}X-Slow: ");
        yield $this->raw(408, 'request_timeout', "{$post}{$host}Content-Length: 10\r\n\r\n{");
        yield $this->raw(411, 'length_required', "POST /v1/events HTTP/1.0{$host}\r\n{}");
        yield $this->raw(413, 'body_too_large', "{$post}{$host}Content-Length: 40000\r\n\r\n");
        yield $this->raw(414, 'uri_too_long', 'POST /v1/events?'.str_repeat('x', 9_000)." HTTP/1.1{$host}\r\n");
        yield $this->raw(417, 'expectation_failed', "{$post}{$host}Expect: a miracle\r\nContent-Length: 2\r\n\r\n{}");
        yield $this->raw(431, 'headers_too_large', "{$post}{$host}X: ".str_repeat('x', 20_000)."\r\n\r\n");
        yield $this->raw(431, 'too_many_headers', "{$post}{$host}".str_repeat("X: y\r\n", 101)."\r\n");
        yield $this->raw(501, 'unsupported_transfer_coding', "{$post}{$host}Transfer-Encoding: gzip, chunked\r\n\r\n");
        yield $this->raw(
            503,
            'crowded',
            "{$post}{$host}Transfer-Encoding: chunked\r\n\r\n8000\r\n".str_repeat(' ', 32_768)."\r\n1;is=next",
        );
        yield $this->raw(505, 'version_not_supported', "POST /v1/events HTTP/3.0{$host}\r\n");
    }

    /** @param array<string, string> $headers */
    private function post(int $status, ?string $code, string $body, array $headers = []): Ask
    {
        return new Ask('POST', self::PATH, $status, $code, $headers + $this->key, $body);
    }

    private function raw(int $status, string $code, string $bytes): Ask
    {
        return new Ask('POST', self::PATH, $status, $code, raw: $bytes);
    }
}
