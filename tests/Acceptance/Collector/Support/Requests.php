<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Support;

use RuntimeException;

/**
 * A request of each format and for each refusal, with keys that are good and some that are not.
 */
final readonly class Requests
{
    public const CONFIG = [
        'limits' => ['body_bytes' => 200_000],
        'intake' => [
            'auth' => true,
            'pixel' => true,
            'origins' => ['https://shop.example.com'],
            'max_batch_bytes' => 150_000,
            'max_event_bytes' => 20_000,
            'max_batch_events' => 5,
            'max_depth' => 16,
            'types' => [
                't', 'order.*', 'track.*', 'log', 'page', 'identify', 'pixel', 'Signed Up', 'com.example.*',
                'opentelemetry.*', 'otel.*', 'otlp.*', 'page.viewed',
            ],
            'schemas' => ['checked' => ['type' => 'object', 'required' => ['total']]],
            'webhooks' => ['partner' => ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw']],
        ],
    ];

    private function __construct(private string $key, private string $revoked, private string $scoped) {}

    public static function withKeysBelow(string $directory): self
    {
        $key = static function (string ...$words) use ($directory): array {
            [$exit, $output] = Running::run($directory, 'collect:key', ...[...array_values($words), '--json']);
            $made = json_decode($output, true);

            return $exit === 0 && is_array($made) ? $made : throw new RuntimeException($output);
        };
        $text = static fn (mixed $value): string => is_string($value) ? $value : '';
        $revoked = $key('create', 'left');
        $key('revoke', $text($revoked['id'] ?? null));

        return new self(
            $text($key('create', 'shop')['key'] ?? null),
            $text($revoked['key'] ?? null),
            $text($key('create', 'scoped', '--type', 'order.*', '--origin', 'https://shop.example.com')['key'] ?? null),
        );
    }

    /** @return iterable<string, array{string, string, list<string>, string}> method, target, header lines, body */
    public function all(): iterable
    {
        yield from $this->formats();
        yield from $this->rows();
        yield from $this->refusals();
        yield from $this->questions();
    }

    /**
     * @return list<string> type, source, subject and data of each event, sorted
     */
    public function stored(string $directory): array
    {
        [$exit, $output] = Running::run($directory, 'spool:flush', 'events');

        if ($exit !== 0) {
            throw new RuntimeException($output);
        }

        $rows = [];

        foreach (explode("\n", trim((string) file_get_contents("{$directory}/out.ndjson"))) as $line) {
            $row = json_decode($line, true, flags: JSON_THROW_ON_ERROR);

            if (is_array($row)) {
                ksort($row);
                $rows[] = (string) preg_replace(
                    ['/"(time|received_at|_accepted_at|_id)":"[^"]*"/', '/[0-9a-f]{8}-[0-9a-f-]{27}/'],
                    ['"$1":"-"', 'AN-ID'],
                    json_encode($row, JSON_THROW_ON_ERROR),
                );
            }
        }

        sort($rows);

        return $rows;
    }

    /** @return iterable<string, array{string, string, list<string>, string}> */
    private function formats(): iterable
    {
        $json = 'Content-Type: application/json';
        $event = '{"type":"t","id":"one","source":"s","subject":"me","time":"2026-01-02T03:04:05.678901Z",'
            .'"data":{"a":1.0,"b":[],"c":{}}}';
        $key = "Authorization: Bearer {$this->key}";
        yield 'one event' => ['POST', '/v1/events', [$key, $json], $event];
        yield 'ids made here' => ['POST', '/v1/events', [$key, $json], '[{"type":"t"},{"type":"t"}]'];
        yield 'key as user' => [
            'POST', '/v1/events', ['Authorization: Basic '.base64_encode("{$this->key}:"), $json], $event,
        ];
        yield 'key in a header' => ['POST', '/v1/events', ["X-Write-Key: {$this->key}", $json], $event];
        yield 'key in the query' => ['POST', "/v1/events?access_token={$this->key}", [$json], $event];
        yield 'text of a beacon' => [
            'POST',
            "/v1/events?writeKey={$this->key}",
            ['Content-Type: text/plain;charset=UTF-8', 'Origin: https://shop.example.com'],
            $event,
        ];
        yield 'no type' => ['POST', '/v1/events', [$key], $event];
        yield 'lines' => [
            'POST',
            '/v1/events',
            [$key, 'Content-Type: application/x-ndjson'],
            "{$event}\n{\"type\":\"order.placed\",\"id\":\"two\"}\n",
        ];
        yield 'some are wrong' => ['POST', '/v1/events', [$key, $json], '[{"type":"t","id":"a"},{"id":"b"},7]'];
        yield 'same ids again' => [
            'POST', '/v1/events', [$key, $json, 'Idempotency-Key: "once"'], '[{"type":"t"},{"type":"t"}]',
        ];
        yield 'CloudEvent' => [
            'POST',
            '/v1/events',
            [$key, 'Content-Type: application/cloudevents+json'],
            '{"specversion":"1.0","type":"com.example.a","source":"/s","id":"c1","data":{"x":1}}',
        ];
        yield 'CloudEvents' => [
            'POST',
            '/v1/events',
            [$key, 'Content-Type: application/cloudevents-batch+json'],
            '[{"specversion":"1.0","type":"com.example.a","source":"/s","id":"c2","comexampleextra":"e"}]',
        ];
        yield 'CloudEvent in headers' => [
            'POST',
            '/v1/events',
            [$key, 'ce-specversion: 1.0', 'ce-type: com.example.b', 'ce-source: /s%20t', 'ce-id: c3', $json],
            '{"x":2}',
        ];
        yield 'bytes of a CloudEvent' => [
            'POST',
            '/v1/events',
            [
                $key,
                'ce-specversion: 1.0',
                'ce-type: com.example.b',
                'ce-source: /s',
                'ce-id: c4',
                'Content-Type: application/octet-stream',
            ],
            "\x00\xFF\r\n",
        ];
        yield 'Segment batch' => [
            'POST',
            '/v1/batch',
            [$key, $json],
            '{"batch":[{"type":"track","event":"Signed'
                .' Up","messageId":"m1","userId":"u"},{"type":"page","messageId":"m2"}],"context":{"a":1}}',
        ];
        yield 'Segment track' => [
            'POST', '/v1/track', [$key, $json], '{"event":"Signed Up","messageId":"m3","anonymousId":"x"}',
        ];
        yield 'Segment identify' => [
            'POST', '/v1/identify', [$key, $json], '{"messageId":"m4","userId":"u","traits":{}}',
        ];
        yield 'OTLP' => [
            'POST',
            '/v1/logs',
            [$key, $json],
            '{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},'
                .'"scopeLogs":[{"logRecords":[{"timeUnixNano":"1767312000000000000","severityNumber":9,'
                .'"body":{"stringValue":"hello"}}]}]}]}',
        ];
        yield 'gzip' => ['POST', '/v1/events', [$key, $json, 'Content-Encoding: gzip'], self::packed(gzencode($event))];
        yield 'deflate' => [
            'POST', '/v1/events', [$key, $json, 'Content-Encoding: deflate'], self::packed(gzcompress($event)),
        ];
        yield 'pixel' => ['GET', "/v1/p.gif?type=t&writeKey={$this->key}&id=p1", [], ''];
        yield 'scoped key' => [
            'POST',
            '/v1/events',
            ["Authorization: Bearer {$this->scoped}", $json, 'Origin: https://shop.example.com'],
            '{"type":"order.placed","id":"o1"}',
        ];
        $body = '{"type":"t","id":"w1"}';
        $signature = base64_encode(hash_hmac(
            'sha256',
            'w1.'.($now = time()).".{$body}",
            base64_decode('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', true),
            true,
        ));
        yield 'signed' => [
            'POST',
            '/v1/events',
            [$json, 'webhook-id: w1', "webhook-timestamp: {$now}", "webhook-signature: v1,{$signature}"],
            $body,
        ];
        yield 'nothing but spaces between' => ['POST', '/v1/events', [$key, $json], "\n [ {$event} ] \n"];
        yield 'a schema that holds' => [
            'POST', '/v1/events', [$key, $json], '{"type":"checked","id":"s1","data":{"total":1}}',
        ];
    }

    /**
     * @return iterable<string, array{string, string, list<string>, string}> what the HTTP sink of another buffer sends
     */
    private function rows(): iterable
    {
        $row = static fn (int $number, string $columns): string => sprintf(
            '{"_id":"node/order.placed/%020d-%020d-00000","_accepted_at":"2026-01-02T03:04:05.678901Z",%s}',
            1,
            $number,
            $columns,
        );
        $large = $row(9, '"text":"'.str_repeat('x', 30_000).'"');
        $lines = [
            "Authorization: Bearer {$this->key}", 'Content-Type: application/json', 'Headroom-Bucket: order.placed',
        ];
        yield 'rows' => [
            'POST',
            '/v1/events',
            $lines,
            "[{$row(1, '"n":1.0,"e":{}')},{$row(2, '"id":"r2","source":"web-1","type":"log","time":"2026-01-02T03:04:05Z","message":"m"')}]",
        ];
        yield 'rows with an Idempotency-Key' => [
            'POST', '/v1/events', [...$lines, 'Idempotency-Key: node/order.placed/1/2'], "[{$row(3, '"n":3')}]",
        ];
        yield 'rows of which one is not taken' => [
            'POST', '/v1/events', $lines, "[{$row(4, '"n":4')},{$large},{$row(5, '"n":5')}]",
        ];
        yield 'rows of which none is taken' => ['POST', '/v1/events', $lines, "[{$large}]"];
        yield 'rows that a key may send some of' => [
            'POST',
            '/v1/events',
            ["Authorization: Bearer {$this->scoped}", 'Origin: https://shop.example.com', ...array_slice($lines, 1)],
            "[{$row(6, '"n":6')},{$row(7, '"type":"log"')}]",
        ];
        yield 'rows of an unknown type' => [
            'POST',
            '/v1/events',
            [...array_slice($lines, 0, 2), 'Headroom-Bucket: nobody-knows'],
            "[{$row(8, '"n":8')}]",
        ];
        yield 'rows with a key that is none' => [
            'POST', '/v1/events', ['Authorization: Bearer hrk_none', ...array_slice($lines, 1)],
            "[{$row(8, '"n":8')}]",
        ];
        yield 'rows that are one object' => ['POST', '/v1/events', $lines, $row(8, '"n":8')];
        yield 'rows cut off' => ['POST', '/v1/events', $lines, "[{$row(8, '"n":8')}"];
        yield 'no rows' => ['POST', '/v1/events', $lines, '[]'];
        yield 'rows as lines' => [
            'POST', '/v1/events', [$lines[0], 'Content-Type: application/x-ndjson', $lines[2]], $row(8, '"n":8'),
        ];
        yield 'rows of no bucket' => [
            'POST', '/v1/events', [...array_slice($lines, 0, 2), 'Headroom-Bucket: ../x'], "[{$row(8, '"type":"t"')}]",
        ];
    }

    /** @return iterable<string, array{string, string, list<string>, string}> */
    private function refusals(): iterable
    {
        $json = 'Content-Type: application/json';
        $event = '{"type":"t"}';
        $key = "Authorization: Bearer {$this->key}";
        yield 'no key' => ['POST', '/v1/events', [$json], $event];
        yield 'unknown key' => ['POST', '/v1/events', ['Authorization: Bearer hrk_none', $json], $event];
        yield 'revoked key' => ['POST', '/v1/events', ["Authorization: Bearer {$this->revoked}", $json], $event];
        yield 'key without its origin' => [
            'POST', '/v1/events', ["Authorization: Bearer {$this->scoped}", $json], $event,
        ];
        yield 'key without that type' => [
            'POST',
            '/v1/events',
            ["Authorization: Bearer {$this->scoped}", $json, 'Origin: https://shop.example.com'],
            $event,
        ];
        yield 'another origin' => ['POST', '/v1/events', [$key, $json, 'Origin: https://evil.example.com'], $event];
        yield 'forged signature' => [
            'POST',
            '/v1/events',
            [$json, 'webhook-id: w', 'webhook-timestamp: 1', 'webhook-signature: v1,AAAA'],
            $event,
        ];
        yield 'unknown path' => ['POST', '/v1/nothing', [$key, $json], $event];
        yield 'encoded path' => ['POST', '/v1/%65vents', [$key, $json], $event];
        yield 'path in capitals' => ['POST', '/V1/EVENTS', [$key, $json], $event];
        yield 'the root' => ['GET', '/', [], ''];
        yield 'wrong method' => ['GET', '/v1/events', [$key], ''];
        yield 'another wrong one' => ['DELETE', '/v1/batch', [$key], ''];
        yield 'empty' => ['POST', '/v1/events', [$key, $json], ''];
        yield 'empty list' => ['POST', '/v1/events', [$key, $json], '[]'];
        yield 'not JSON' => ['POST', '/v1/events', [$key, $json], '{"type":'];
        yield 'not UTF-8' => ['POST', '/v1/events', [$key, $json], "{\"type\":\"\xFF\"}"];
        yield 'nested' => [
            'POST', '/v1/events', [$key, $json], '{"type":"t","data":'.str_repeat('[', 40).str_repeat(']', 40).'}',
        ];
        yield 'unknown type' => ['POST', '/v1/events', [$key, $json], '{"type":"nobody.knows"}'];
        yield 'a schema that does not hold' => ['POST', '/v1/events', [$key, $json], '{"type":"checked","data":{}}'];
        yield 'all or nothing' => ['POST', '/v1/events?atomic=1', [$key, $json], '[{"type":"t"},{}]'];
        yield 'too many' => ['POST', '/v1/events', [$key, $json], '['.implode(',', array_fill(0, 6, $event)).']'];
        yield 'large event' => [
            'POST', '/v1/events', [$key, $json], '{"type":"t","data":"'.str_repeat('x', 30_000).'"}',
        ];
        yield 'large batch' => [
            'POST', '/v1/events', [$key, $json], '{"type":"t","data":"'.str_repeat('x', 160_000).'"}',
        ];
        yield 'large body' => ['POST', '/v1/events', [$key, $json], str_repeat(' ', 300_000)];
        yield 'bomb' => [
            'POST',
            '/v1/events',
            [$key, $json, 'Content-Encoding: gzip'],
            self::packed(gzencode(str_repeat(' ', 3_000_000))),
        ];
        yield 'broken gzip' => ['POST', '/v1/events', [$key, $json, 'Content-Encoding: gzip'], 'no gzip'];
        yield 'unknown coding' => ['POST', '/v1/events', [$key, $json, 'Content-Encoding: br'], 'x'];
        yield 'a form' => ['POST', '/v1/events', [$key, 'Content-Type: application/x-www-form-urlencoded'], 'type=t'];
        yield 'a form in parts' => [
            'POST',
            '/v1/events',
            [$key, 'Content-Type: multipart/form-data; boundary=b'],
            "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b--\r\n",
        ];
        yield 'protobuf' => ['POST', '/v1/logs', [$key, 'Content-Type: application/x-protobuf'], 'x'];
        yield 'OTLP that is none' => ['POST', '/v1/logs', [$key, $json], '{'];
        yield 'OTLP without a key' => ['POST', '/v1/logs', [$json], '{}'];
        yield 'bad idempotency key' => ['POST', '/v1/events', [$key, $json, 'Idempotency-Key: a b'], $event];
        yield 'pixel without a key' => ['GET', '/v1/p.gif?type=t', [], ''];
    }

    /** @return iterable<string, array{string, string, list<string>, string}> */
    private function questions(): iterable
    {
        yield 'version' => ['GET', '/v1/version', [], ''];
        yield 'version for a browser' => ['GET', '/v1/version', ['Origin: https://shop.example.com'], ''];
        yield 'head of the version' => ['HEAD', '/v1/version', [], ''];
        yield 'options' => ['OPTIONS', '/v1/events', [], ''];
        yield 'options of nothing' => ['OPTIONS', '/v1/nothing', [], ''];
        yield 'preflight' => [
            'OPTIONS',
            '/v1/events',
            [
                'Origin: https://shop.example.com',
                'Access-Control-Request-Method: POST',
                'Access-Control-Request-Headers: content-type,authorization',
            ],
            '',
        ];
        yield 'preflight of another' => [
            'OPTIONS', '/v1/events', ['Origin: https://evil.example.com', 'Access-Control-Request-Method: POST'], '',
        ];
        yield 'handshake of a webhook' => [
            'OPTIONS',
            '/v1/events',
            ['WebHook-Request-Origin: https://shop.example.com', 'WebHook-Request-Rate: 120'],
            '',
        ];
    }

    private static function packed(string|false $bytes): string
    {
        return $bytes === false ? throw new RuntimeException('It could not be compressed.') : $bytes;
    }
}
