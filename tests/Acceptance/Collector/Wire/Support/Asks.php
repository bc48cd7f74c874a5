<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Wire\Support;

/**
 * Requests that get every answer that docs/collector.openapi.json has: of each operation, and of each code.
 */
final readonly class Asks
{
    private const BATCHES = ['/v1/batch', '/v1/b', '/b', '/v1/import', '/beacon/v1/batch'];

    private const SEGMENT = [
        ...self::BATCHES,
        '/v1/track', '/v1/identify', '/v1/page', '/v1/screen', '/v1/group', '/v1/alias',
        '/v1/t', '/v1/i', '/v1/p', '/v1/s', '/v1/g', '/v1/a', '/v1/m',
    ];

    /** Of a page that may send. All that an operation can say is asked with it, so that CORS is among it. */
    private const ORIGIN = ['Origin' => 'https://shop.example'];

    /**
     * @param array<string, string> $keys by what they are for: web, orders, elsewhere, rated, small, revoked, expired;
     *     of the collector that is full: full, uncounted
     */
    public function __construct(private array $keys) {}

    /** @return iterable<Ask> */
    public function all(): iterable
    {
        foreach (['/v1/events', ...self::SEGMENT, '/v1/logs'] as $path) {
            yield from $this->posts($path);
        }

        foreach (['/v1/events', ...self::SEGMENT, '/v1/logs', '/v1/p.gif', '/v1/version'] as $path) {
            yield from $this->options($path);
        }

        yield from $this->pixels();
        yield from $this->reads();
        yield from $this->keys();
        yield from $this->frontController();
        yield from (new Codes($this->bearer('web')))->all();
    }

    private static function good(string $path): string
    {
        return match ($path) {
            '/v1/events' => '{"type":"t","time":"2026-07-14T03:33:20Z","data":{"n":1}}',
            '/v1/batch', '/v1/b', '/b', '/v1/import', '/beacon/v1/batch' =>
                '{"batch":[{"type":"track","event":"t","userId":"7"},{"type":"page","anonymousId":5}],'
                    .'"sentAt":"2026-07-14T03:33:20Z"}',
            '/v1/m' => '{"series":[{"type":"Counter","metric":"m","value":1}]}',
            '/v1/track', '/v1/t' => '{"event":"t","userId":"7","timestamp":"2026-07-14T03:33:20Z"}',
            '/v1/logs' => '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"1784000000000000000",'
                .'"eventName":"t"}]}]}]}',
            default => '{"userId":"7"}',
        };
    }

    /** @return iterable<Ask> */
    private function posts(string $path): iterable
    {
        $isLogs = $path === '/v1/logs';
        $good = self::good($path);
        $web = self::ORIGIN + $this->bearer('web');
        $code = static fn (string $code): ?string => $isLogs ? null : $code;

        yield new Ask('POST', $path, $isLogs ? 200 : 202, null, $web + ['Content-Type' => 'application/json'], $good);
        yield new Ask('POST', $path, 400, $code('not_json'), $web, '{');
        yield new Ask('POST', $path, 401, $code('no_key'), self::ORIGIN, $good);
        yield new Ask(
            'POST',
            $path,
            403,
            $code('origin_not_allowed'),
            self::ORIGIN + $this->bearer('elsewhere'),
            $good,
        );
        yield new Ask(
            'POST',
            $path,
            403,
            $code('origin_not_allowed'),
            ['Origin' => 'https://evil.example'] + $this->bearer('web'),
            $good,
        );
        yield new Ask(
            'POST',
            $path,
            413,
            $code('body_too_large'),
            $web + ['Content-Encoding' => 'gzip'],
            (string) gzencode(str_repeat(' ', 20_000)),
        );
        yield new Ask(
            'POST',
            $path,
            415,
            $code('unsupported_media_type'),
            $web + ['Content-Type' => 'application/xml'],
            $good,
        );
        yield new Ask('POST', $path, 415, $code('unsupported_encoding'), $web + ['Content-Encoding' => 'br'], $good);
        yield new Ask(
            'POST',
            $path,
            429,
            $code('rate_limited'),
            self::ORIGIN + $this->bearer('rated'),
            str_replace(',{"type":"page","anonymousId":5}', '', $good),
            isRepeated: true,
        );
        yield new Ask('POST', $path, 503, $code('not_stored'), self::ORIGIN + $this->bearer('full'), $good, to: 'full');
        yield new Ask('POST', $path, 431, 'headers_too_large', ['X-Large' => str_repeat('x', 20_000)] + $web, $good);

        if ($isLogs) {
            yield from $this->protobuf($path);
            yield new Ask(
                'POST',
                $path,
                200,
                null,
                $this->bearer('orders') + ['Content-Type' => 'application/json'],
                $good,
            );
            yield new Ask('POST', $path, 400, 'bad_host', ['Host' => 'a b'], $good);
            yield new Ask('POST', $path, 413, 'body_too_large', $web, str_repeat(' ', 40_000));

            return;
        }

        $wrong = match ($path) {
            '/v1/events' => '{"type":""}',
            '/v1/m' => '{"series":[{"messageId":""}]}',
            '/v1/batch', '/v1/b', '/b', '/v1/import', '/beacon/v1/batch' =>
                '{"batch":[{"type":"page","messageId":""}]}',
            default => substr($good, 0, -1).',"messageId":""}',
        };
        yield new Ask('POST', $path, 422, $path === '/v1/events' ? 'invalid_type' : 'invalid_id', $web, $wrong);
        yield new Ask('POST', $path, 204, null, $web + ['Content-Type' => 'text/plain'], $good);
        yield new Ask('POST', $path, 204, null, $web, $good, 'beacon=1');
    }

    /** @return iterable<Ask> each answer in the encoding of its request */
    private function protobuf(string $path): iterable
    {
        // ExportLogsServiceRequest{resource_logs{scope_logs{log_records{event_name: "t"}}}}
        $good = "\x0A\x07\x12\x05\x12\x03\x62\x01t";
        $type = ['Content-Type' => 'application/x-protobuf'];
        $web = self::ORIGIN + $type + $this->bearer('web');

        yield new Ask('POST', $path, 200, null, $web, $good);
        yield new Ask('POST', $path, 200, null, ['Content-Type' => 'application/protobuf'] + $web, $good);
        yield new Ask('POST', $path, 400, null, $web, "\x0A\x7F");
        yield new Ask('POST', $path, 401, null, self::ORIGIN + $type, $good);
        yield new Ask('POST', $path, 403, null, self::ORIGIN + $type + $this->bearer('elsewhere'), $good);
        yield new Ask(
            'POST',
            $path,
            413,
            null,
            $web + ['Content-Encoding' => 'gzip'],
            (string) gzencode(str_repeat(' ', 20_000)),
        );
        yield new Ask('POST', $path, 415, null, $web + ['Content-Encoding' => 'br'], $good);
        yield new Ask('POST', $path, 429, null, self::ORIGIN + $type + $this->bearer('rated'), $good, isRepeated: true);
        yield new Ask('POST', $path, 503, null, self::ORIGIN + $type + $this->bearer('full'), $good, to: 'full');
    }

    /** @return iterable<Ask> */
    private function options(string $path): iterable
    {
        $large = ['X-Large' => str_repeat('x', 20_000)];

        yield new Ask('OPTIONS', $path, 204);
        yield new Ask(
            'OPTIONS',
            $path,
            204,
            null,
            self::ORIGIN
                + ['Access-Control-Request-Method' => 'POST', 'Access-Control-Request-Headers' => 'authorization'],
        );
        yield new Ask('OPTIONS', $path, 200, null, self::ORIGIN + ['WebHook-Request-Origin' => 'shop.example']);
        yield new Ask('OPTIONS', $path, 200, null, [
            'WebHook-Request-Origin' => 'https://shop.example',
            'WebHook-Request-Rate' => '120',
        ]);
        yield new Ask('OPTIONS', $path, 431, 'headers_too_large', $large);
    }

    /** @return iterable<Ask> */
    private function pixels(): iterable
    {
        $web = self::ORIGIN + $this->bearer('web');

        yield new Ask('GET', '/v1/p.gif', 200, null, $web, query: 'type=t&campaign=7');
        yield new Ask('GET', '/v1/p.gif', 400, 'not_json', $web, query: 'type=t&data=%7B');
        yield new Ask('GET', '/v1/p.gif', 401, 'no_key', self::ORIGIN, query: 'type=t');
        yield new Ask(
            'GET',
            '/v1/p.gif',
            403,
            'origin_not_allowed',
            $this->bearer('elsewhere') + ['Referer' => 'https://shop.example/cart'],
            query: 'type=t',
        );
        yield new Ask('GET', '/v1/p.gif', 404, 'unknown_path', self::ORIGIN, query: 'type=t', to: 'failing');
        yield new Ask(
            'GET',
            '/v1/p.gif',
            413,
            'event_too_large',
            $this->bearer('small'),
            query: 'type=t&a='.str_repeat('x', 100),
        );
        yield new Ask(
            'GET',
            '/v1/p.gif',
            415,
            'unsupported_encoding',
            $web + ['Content-Encoding' => 'br'],
            query: 'type=t',
        );
        yield new Ask('GET', '/v1/p.gif', 422, 'missing_type', $web, query: 'a=b');
        yield new Ask(
            'GET',
            '/v1/p.gif',
            429,
            'rate_limited',
            $this->bearer('rated'),
            query: 'type=t',
            isRepeated: true,
        );
        yield new Ask('GET', '/v1/p.gif', 503, 'not_stored', $this->bearer('full'), query: 'type=t', to: 'full');
        yield new Ask('GET', '/v1/p.gif', 414, 'uri_too_long', $web, query: 'type=t&a='.str_repeat('x', 9_000));
    }

    /** @return iterable<Ask> what is only read */
    private function reads(): iterable
    {
        foreach (['GET', 'HEAD'] as $method) {
            yield new Ask($method, '/v1/version', 200, null, self::ORIGIN);
            yield new Ask($method, '/livez', 200);
            yield new Ask($method, '/readyz', 200);
            yield new Ask($method, '/readyz', 503, $method === 'GET' ? 'not_ready' : null, to: 'full');
            yield new Ask($method, '/metrics', 200, to: 'admin');
        }

        foreach (['/v1/version', '/livez', '/readyz'] as $path) {
            yield new Ask('GET', $path, 400, 'bad_header_value', ['X-Bell' => "\x07"]);
        }

        yield new Ask('GET', '/metrics', 400, 'bad_header_value', ['X-Bell' => "\x07"], to: 'admin');
        yield new Ask('GET', '/v1/version', 500, 'internal_error', to: 'failing');
        yield new Ask('POST', '/v1/events', 504, 'handler_timeout', to: 'failing');
        // The description has a component for each answer that belongs to no operation.
        yield new Ask('PUT', '/v1/events', 405, 'method_not_allowed', self::ORIGIN);
        yield new Ask('POST', '/livez', 405, 'method_not_allowed');
        yield new Ask('POST', '/v2/events', 404, 'unknown_path', self::ORIGIN);
        yield new Ask('GET', '/v1/events', 404, 'not_found', to: 'admin');
    }

    /** @return iterable<Ask> each way to say who sends, and each way in which it is wrong */
    private function keys(): iterable
    {
        $good = self::good('/v1/events');
        $key = $this->keys['web'];
        $at = (string) time();
        $signed = static fn (string $secret): array => [
            'webhook-id' => 'w-1',
            'webhook-timestamp' => $at,
            'webhook-signature' => 'v1,'.base64_encode(hash_hmac('sha256', "w-1.{$at}.{$good}", $secret, true)),
        ];

        yield new Ask('POST', '/v1/events', 202, null, ['Authorization' => 'Basic '.base64_encode("{$key}:")], $good);
        yield new Ask('POST', '/v1/events', 202, null, ['X-Write-Key' => $key], $good);
        yield new Ask('POST', '/v1/events', 202, null, [], $good, "writeKey={$key}");
        yield new Ask('POST', '/v1/events', 202, null, [], $good, "access_token={$key}");
        yield new Ask('POST', '/v1/events', 202, null, $signed('sesame-sesame-sesame'), $good);
        yield new Ask('POST', '/v1/events', 401, 'bad_signature', $signed('another one'), $good);
        yield new Ask('POST', '/v1/events', 401, 'unknown_key', ['X-Write-Key' => 'hrk_none'], $good);
        yield new Ask('POST', '/v1/events', 401, 'revoked_key', $this->bearer('revoked'), $good);
        yield new Ask('POST', '/v1/events', 401, 'expired_key', $this->bearer('expired'), $good, isRepeated: true);
        yield new Ask('POST', '/v1/events', 403, 'type_not_allowed', $this->bearer('orders'), $good);
        yield new Ask('POST', '/v1/events', 413, 'batch_exceeds_rate', $this->bearer('rated'), "[{$good},{$good}]");
        yield new Ask('POST', '/v1/events', 503, 'rate_unavailable', $this->bearer('uncounted'), $good, to: 'full');
        yield new Ask('POST', '/v1/events', 503, 'keys_unavailable', $this->bearer('web'), $good, to: 'keyless');
    }

    /** @return iterable<Ask> responses that only the front controller gives */
    private function frontController(): iterable
    {
        foreach (['/v1/events', '/v1/logs'] as $path) {
            yield new Ask('POST', $path, 400, 'incomplete_body', [], self::good($path), to: 'halving front controller');
            yield new Ask('POST', $path, 503, 'not_set_up', [], self::good($path), to: 'unset front controller');
        }

        yield new Ask('OPTIONS', '/v1/events', 503, 'not_set_up', to: 'unset front controller');
        yield new Ask('GET', '/v1/version', 503, 'not_set_up', to: 'unset front controller');
    }

    /** @return array<string, string> */
    private function bearer(string $key): array
    {
        return ['Authorization' => "Bearer {$this->keys[$key]}"];
    }
}
