<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Ingest;

use Headroom\Collector\Ingest\Authentication\ApiKey;
use Headroom\Collector\Ingest\EventTime;
use Headroom\Collector\Ingest\Format\TrackingPixel;
use Headroom\Collector\Ingest\IngestLimits;
use Headroom\Collector\Ingest\IngestSettings;
use Headroom\Collector\Ingest\Schema\SchemaValidator;
use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use RuntimeException;

/**
 * The interface around the events: preflights, the version, the pixel, schemas, settings.
 */
final class SurfaceTest extends IngestTestCase
{
    #[Test]
    public function a_preflight_echoes_an_origin_that_may(): void
    {
        $harness = $this->harness(new IngestSettings(origins: ['https://a.example']));
        $ask = ['access-control-request-method' => 'POST', 'access-control-request-headers' => 'content-type'];
        $yes = $harness->ask('OPTIONS', '/v1/events', $ask + ['origin' => 'https://a.example'])->response;
        $no = $harness->ask('OPTIONS', '/v1/events', $ask + ['origin' => 'https://b.example'])->response;

        self::assertSame(
            [204, 'https://a.example', 'true', 'Origin', 'POST, OPTIONS'],
            [
                $yes->status,
                $yes->headers['Access-Control-Allow-Origin'],
                $yes->headers['Access-Control-Allow-Credentials'],
                $yes->headers['Vary'],
                $yes->headers['Access-Control-Allow-Methods'],
            ],
        );
        self::assertStringContainsString('Idempotency-Key', $yes->headers['Access-Control-Allow-Headers']);
        self::assertSame(['Allow' => 'POST, OPTIONS', 'Vary' => 'Origin'], $no->headers);
        self::assertArrayNotHasKey(
            'Access-Control-Allow-Origin',
            $harness->post('{}', ['origin' => "https://a.example\r\nx: y"])->response->headers,
        );
        self::assertSame(
            'https://a.example',
            $harness->post('{}', ['origin' => 'https://a.example'])->response->headers['Access-Control-Allow-Origin'],
            'An error can be read as well.',
        );
        self::assertSame(
            [204, 'GET, HEAD, POST, OPTIONS'],
            [
                $harness->ask('OPTIONS', '*')->response->status,
                $harness->ask('OPTIONS', '*')->response->headers['Allow'],
            ],
        );
    }

    #[Test]
    public function the_handshake_of_a_webhook_is_no_preflight(): void
    {
        $harness = $this->harness();
        $answer = $harness->ask('OPTIONS', '/v1/events', [
            'webhook-request-origin' => 'events.example.com',
            'webhook-request-rate' => '120',
        ])->response;

        self::assertSame(
            [
                200,
                [
                    'Allow' => 'POST, OPTIONS',
                    'WebHook-Allowed-Origin' => 'events.example.com',
                    'WebHook-Allowed-Rate' => '*',
                ],
            ],
            [$answer->status, $answer->headers],
        );
        self::assertArrayNotHasKey(
            'WebHook-Allowed-Rate',
            $harness->ask('OPTIONS', '/v1/events', ['webhook-request-origin' => 'e'])->response->headers,
        );
        self::assertArrayNotHasKey(
            'WebHook-Allowed-Origin',
            $this->harness(new IngestSettings(origins: ['x']))
                ->ask('OPTIONS', '/v1/events', ['webhook-request-origin' => 'e'])->response->headers,
        );
    }

    #[Test]
    public function the_version_tells_every_limit(): void
    {
        $limits = new IngestLimits(1_111, 2_222, 3_333, 44, 55);
        $result = $this->harness(new IngestSettings(limits: $limits))->ask('GET', '/v1/version');
        $body = PipelineHarness::body($result);

        self::assertSame([200, 0], [$result->response->status, $result->count]);
        self::assertIsArray($body['limits']);
        self::assertSame($limits->toArray(), array_intersect_key($body['limits'], $limits->toArray()));
        self::assertSame(
            [1_111, 2_222, 3_333, 44, 55],
            [
                $body['limits']['max_event_bytes'],
                $body['limits']['max_batch_bytes'],
                $body['limits']['max_batch_events'],
                $body['limits']['max_depth'],
                $body['limits']['max_errors'],
            ],
        );
        self::assertSame([
            '/v1/events', '/v1/logs', '/v1/batch', '/v1/track', '/v1/identify', '/v1/page', '/v1/screen', '/v1/group',
            '/v1/alias',
            '/v1/b', '/v1/t', '/v1/i', '/v1/p', '/v1/s', '/v1/g', '/v1/a', '/v1/m', '/v1/import', '/b',
            '/beacon/v1/batch',
        ], $body['paths']);
    }

    #[Test]
    public function the_pixel(): void
    {
        $harness = $this->harness(new IngestSettings(hasPixel: true));
        $key = $harness->key(new ApiKey('', 'mail', origins: ['https://a.example']));
        $result = $harness->ask(
            'GET',
            '/v1/p.gif',
            ['referer' => 'https://a.example/page?x'],
            "type=mail.opened&id=1&campaign=caf%C3%A9&access_token={$key}",
        );

        self::assertSame(
            [200, TrackingPixel::GIF, 'image/gif', 'no-store'],
            [
                $result->response->status,
                $result->response->body,
                $result->response->headers['Content-Type'],
                $result->response->headers['Cache-Control'],
            ],
        );
        self::assertSame(
            ['1', 'mail.opened', '{"campaign":"café"}'],
            array_values(array_intersect_key(self::row($result), ['id' => 1, 'type' => 1, 'data' => 1])),
        );
        self::assertSame(
            '[1.0]',
            self::row($harness->ask(
                'GET',
                '/v1/p.gif',
                ['referer' => 'https://a.example'],
                "type=t&x=1&data=%5B1.0%5D&writeKey={$key}",
            ))['data'],
        );
        self::refused(
            422,
            'missing_type',
            $harness->ask('GET', '/v1/p.gif', ['referer' => 'https://a.example'], "data=1&writeKey={$key}"),
        );
        self::refused(
            422,
            'duplicate_member',
            $harness->ask(
                'GET',
                '/v1/p.gif',
                ['referer' => 'https://a.example'],
                'type=t&data='.rawurlencode('1,"type":"u"')."&writeKey={$key}",
            ),
        );
        self::refused(403, 'origin_not_allowed', $harness->ask('GET', '/v1/p.gif', [], "type=t&writeKey={$key}"));
        self::refused(401, 'no_key', $harness->ask('GET', '/v1/p.gif', [], 'type=t'));
        self::refused(405, 'method_not_allowed', $harness->post('x', path: '/v1/p.gif'));
        self::assertSame(
            [1, 1, IMAGETYPE_GIF],
            array_slice((array) getimagesizefromstring($result->response->body), 0, 3),
        );
    }

    /** PHP's own parser warns from max_input_vars on, and an application's error handler makes an exception of that. */
    #[Test]
    public function a_query_of_many_variables_warns_of_nothing_and_fails_no_request(): void
    {
        $harness = $this->harness(new IngestSettings(hasPixel: true));
        $key = $harness->key(new ApiKey('', 'web'));
        set_error_handler(static fn (int $level, string $message) => throw new RuntimeException($message));

        try {
            foreach ([5_000, 1_000, 300, 200] as $many) {
                $query = implode('&', array_map(static fn (int $n): string => "v{$n}=1", range(1, $many)))
                    ."&type=t&writeKey={$key}";
                self::assertSame(
                    $many > 256 ? 422 : 200,
                    $harness->ask('GET', '/v1/p.gif', query: $query)->response->status,
                );
                self::assertSame(202, $harness->post('{"type":"t"}', query: $query)->response->status);
                self::assertSame(
                    202,
                    $harness->post(
                        '{"type":"t"}',
                        query: "writeKey=wrong&{$query}&access_token=".rawurlencode($key),
                    )->response->status,
                );
            }
        } finally {
            restore_error_handler();
        }
    }

    #[Test]
    public function schemas_and_known_types(): void
    {
        $schema = [
            'type' => 'object',
            'required' => ['total'],
            'properties' => [
                'total' => ['type' => 'number'],
                'a/b' => ['type' => 'array', 'items' => ['type' => 'integer']],
            ],
        ];
        $harness = $this->harness(new IngestSettings(
            isAuthenticated: false,
            types: ['page.*'],
            schemas: ['order.placed' => $schema],
        ));
        $order = static fn (string $data): string => "{\"type\":\"order.placed\",\"data\":{$data}}";

        self::assertSame(
            2,
            $harness->post("[{$order('{"total":1.5,"a/b":[1]}')},{\"type\":\"page.viewed\"}]")->count,
        );
        self::refused(422, 'unknown_type', $harness->post('{"type":"pages"}'));
        self::refused(422, 'schema_mismatch', $harness->post('{"type":"order.placed"}'));

        foreach ([
            '[]' => '/data',
            '{}' => '/data',
            '{"total":"1"}' => '/data/total',
            '{"total":1,"a/b":[1,"x"]}' => '/data/a~1b/1',
            '{"\u0000":1}' => '/data',
        ] as $data => $pointer) {
            $problem = self::refused(422, 'schema_mismatch', $harness->post($order($data)));
            self::assertIsArray($problem['errors']);
            self::assertIsArray($problem['errors'][0]);
            self::assertSame(
                $pointer,
                $problem['errors'][0]['pointer'],
                $harness->post($order($data))->response->body,
            );
        }
    }

    #[Test]
    public function schemas_that_are_none(): void
    {
        self::assertNull(SchemaValidator::of([]));

        foreach (['/nowhere.json', ['type' => 'nonsense']] as $schema) {
            try {
                SchemaValidator::of(['t' => $schema]);
                self::fail('It must be refused when it is read.');
            } catch (InvalidConfig $e) {
                self::assertStringContainsString('collector.intake.schemas.t', $e->getMessage());
            }
        }
    }

    #[Test]
    public function settings(): void
    {
        self::assertEquals(
            new IngestSettings,
            IngestSettings::fromOptions(new ConfigReader([], 'collector.intake')),
            'The defaults are in both places.',
        );
        $settings = IngestSettings::fromOptions(new ConfigReader([
            'bucket' => 'b', 'dead_bucket' => 'd', 'auth' => '0', 'origins' => ['https://a'], 'pixel' => true,
            'source' => 's', 'types' => ['t'], 'schemas' => ['x' => ['type' => 'object']],
            'webhooks' => ['w' => 'secret', 'v' => ['a', 'whsec_'.base64_encode('b')]], 'signature_tolerance' => 60,
            'max_event_bytes' => '2048', 'max_batch_bytes' => 4_096, 'max_batch_events' => 10, 'max_depth' => 8,
            'max_errors' => 5,
        ], 'collector.intake'));
        self::assertEquals(
            new IngestSettings(
                'b',
                'd',
                false,
                ['https://a'],
                true,
                's',
                ['t'],
                ['x' => ['type' => 'object']],
                ['w' => ['secret'], 'v' => ['a', 'whsec_'.base64_encode('b')]],
                60,
                new IngestLimits(2_048, 4_096, 10, 8, 5),
            ),
            $settings,
        );
    }

    /** @return iterable<string, array{array<string, mixed>, string}> */
    public static function wrongSettings(): iterable
    {
        yield 'unknown' => [['bukket' => 'x'], 'collector.intake.bukket'];
        yield 'bucket' => [['bucket' => '../x'], 'collector.intake.bucket'];
        yield 'too large an event' => [['max_event_bytes' => 1_000_000], 'collector.intake.max_event_bytes'];
        yield 'schema' => [['schemas' => ['t' => 5]], 'collector.intake.schemas.t'];
        yield 'secret' => [['webhooks' => ['w' => 'whsec_?']], 'collector.intake.webhooks.w'];
        yield 'no secret' => [['webhooks' => ['w' => []]], 'collector.intake.webhooks.w'];
    }

    /** @param array<string, mixed> $options */
    #[Test]
    #[DataProvider('wrongSettings')]
    public function wrong_settings_are_named(array $options, string $key): void
    {
        try {
            IngestSettings::fromOptions(new ConfigReader($options, 'collector.intake'));
            self::fail('It must be refused.');
        } catch (InvalidConfig $e) {
            self::assertSame($key, $e->key);
            self::assertStringNotContainsString('whsec_?', $e->getMessage());
        }
    }

    /** @return iterable<string, array{string, ?string}> */
    public static function times(): iterable
    {
        yield 'utc' => ['2026-11-22T08:00:00Z', '2026-11-22T08:00:00.000000+00:00'];
        yield 'millis' => ['2026-11-22T08:00:00.123Z', '2026-11-22T08:00:00.123000+00:00'];
        yield 'nanos' => ['2026-11-22T08:00:00.123456789Z', '2026-11-22T08:00:00.123456+00:00'];
        yield 'more digits' => ['2026-11-22T08:00:00.999999999999Z', '2026-11-22T08:00:00.999999+00:00'];
        yield 'offset' => ['2026-01-01T00:30:00+05:45', '2025-12-31T18:45:00.000000+00:00'];
        yield 'offset and micros' => ['2026-12-31T23:30:00.5-01:00', '2027-01-01T00:30:00.500000+00:00'];
        yield 'small letters' => ['2026-11-22t08:00:00z', '2026-11-22T08:00:00.000000+00:00'];
        yield 'a space' => ['2026-11-22 08:00:00Z', '2026-11-22T08:00:00.000000+00:00'];
        yield 'leap second' => ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000000+00:00'];
        yield 'leap day' => ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000000+00:00'];
        yield 'no leap day' => ['2026-02-29T00:00:00Z', null];
        yield 'the last' => ['9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999999+00:00'];
        yield 'behind the last' => ['9999-12-31T23:59:59-01:00', null];
        yield 'year 0' => ['0000-02-01T00:00:00Z', null];
        yield 'before the first' => ['0001-01-01T00:00:00+01:00', null];
        yield 'the first' => ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000000+00:00'];

        foreach ([
            '', 'now', '2026-11-22', '2026-11-22T08:00:00', '1795334400', '2026-11-22T24:00:00Z',
            '2026-11-22T08:00:00.Z', '2026-11-22T08:00:00+1:00', '2026-13-01T00:00:00Z', "2026-11-22T08:00:00Z\n",
            '2026-11-22T08:00:00Z ', '2026-11-31T00:00:00Z',
        ] as $none) {
            yield "none: {$none}" => [$none, null];
        }
    }

    #[Test]
    #[DataProvider('times')]
    public function times_are_those_of_rfc_3339(string $given, ?string $stored): void
    {
        self::assertSame($stored, EventTime::parse($given));
    }
}
