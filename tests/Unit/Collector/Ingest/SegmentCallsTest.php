<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Ingest;

use Headroom\Collector\Ingest\Authentication\ApiKey;
use Headroom\Collector\Ingest\IngestLimits;
use Headroom\Collector\Ingest\IngestSettings;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;

final class SegmentCallsTest extends IngestTestCase
{
    #[Test]
    public function a_batch_of_calls(): void
    {
        $result = $this->harness()->post('{"batch":[
            {"type":"track","event":"Order Completed","userId":97980,"messageId":"m-1","timestamp":"2026-11-22T07:59:59.9Z","properties":{"total":30.00}},
            {"type":"identify","anonymousId":"anon","userId":"","traits":{},"context":{"own":1}},
            {"type":"dance"},{"type":"track"}
        ],"context":{"library":{"name":"x"}},"sentAt":"2026-11-22T08:00:00Z","writeKey":"secret"}', path: '/v1/batch');

        $rows = PipelineHarness::rows($result->lines);
        self::assertSame(2, $result->count, $result->response->body);
        self::assertSame(
            ['m-1', 'Order Completed', '2026-11-22T07:59:59.900000+00:00', '97980'],
            [$rows[0]['id'], $rows[0]['type'], $rows[0]['time'], $rows[0]['subject']],
        );
        self::assertSame(
            '{"type":"track","event":"Order'
                .' Completed","userId":97980,"messageId":"m-1","timestamp":"2026-11-22T07:59:59.9Z",'
                .'"properties":{"total":30.00},"context":{"library":{"name":"x"}},"sentAt":"2026-11-22T08:00:00Z"}',
            $rows[0]['data'],
        );
        self::assertSame(
            [
                'identify',
                'anon',
                '{"type":"identify","anonymousId":"anon","userId":"","traits":{},"context":{"own":1},'
                    .'"sentAt":"2026-11-22T08:00:00Z"}',
            ],
            [$rows[1]['type'], $rows[1]['subject'], $rows[1]['data']],
        );
        self::assertSame(['invalid_type' => 1, 'missing_type' => 1], $result->rejections);
        self::assertStringNotContainsString('secret', $result->lines);
    }

    /** @return iterable<string, array{string}> */
    public static function calls(): iterable
    {
        foreach (['track', 'identify', 'page', 'screen', 'group', 'alias'] as $call) {
            yield $call => [$call];
        }
    }

    #[Test]
    #[DataProvider('calls')]
    public function single_calls_with_the_key_as_user(string $call): void
    {
        $harness = $this->harness(new IngestSettings);
        $key = $harness->key(new ApiKey('', 'site'));
        $result = $harness->post(
            '{"event":"Signed Up","userId":"u","writeKey":"x"}',
            ['content-type' => 'application/json', 'authorization' => 'Basic '.base64_encode("{$key}:")],
            "/v1/{$call}",
        );

        self::assertSame(
            [
                $call === 'track' ? 'Signed Up' : $call,
                'u',
                'site',
                "{\"event\":\"Signed Up\",\"userId\":\"u\",\"type\":\"{$call}\"}",
            ],
            array_values(array_intersect_key(
                self::row($result),
                ['type' => 1, 'subject' => 1, 'key' => 1, 'data' => 1],
            )),
        );
    }

    #[Test]
    public function a_body_that_is_no_batch_is_refused(): void
    {
        $harness = $this->harness();

        self::refused(400, 'no_events', $harness->post('{"messages":[]}', path: '/v1/batch'));
        self::refused(400, 'no_events', $harness->post('', path: '/v1/batch'));
        self::refused(400, 'no_events', $harness->post('{"batch":[]}', path: '/v1/batch'));
        self::refused(400, 'not_json', $harness->post('[]', path: '/v1/batch'));
        self::refused(400, 'not_json', $harness->post('{"batch":{}}', path: '/v1/batch'));
        self::refused(400, 'not_json', $harness->post('{"batch":[],"context":nonsense}', path: '/v1/batch'));
        self::refused(
            415,
            'unsupported_media_type',
            $harness->post('x', ['content-type' => 'application/xml'], '/v1/batch'),
        );
    }

    #[Test]
    public function a_large_context_cannot_be_multiplied_without_bound(): void
    {
        $settings = new IngestSettings(isAuthenticated: false, limits: new IngestLimits(eventBytes: 4_096));
        $message = '{"type":"page"}';
        $result = $this->harness($settings)
            ->post('{"context":"'.str_repeat('x', 4_090)."\",\"batch\":[{$message},{$message}]}", path: '/v1/batch');

        self::refused(413, 'event_too_large', $result);
        self::refused(
            413,
            'body_too_large',
            $this->harness()->post(
                '{"context":"'.str_repeat('x', 100_000).'","batch":['.implode(',', array_fill(0, 200, $message)).']}',
                path: '/v1/batch',
            ),
        );
    }

    /** @return iterable<string, array{string, string}> path and call */
    public static function browserCalls(): iterable
    {
        foreach ([
            't' => 'track',
            'i' => 'identify',
            'p' => 'page',
            's' => 'screen',
            'g' => 'group',
            'a' => 'alias',
        ] as $letter => $call) {
            yield $call => ["/v1/{$letter}", $call];
        }
    }

    #[Test]
    #[DataProvider('browserCalls')]
    public function a_browser_sends_its_key_in_the_body(string $path, string $call): void
    {
        $harness = $this->harness(new IngestSettings);
        $key = $harness->key(new ApiKey('', 'site'));
        $message = "{\"type\":\"{$call}\",\"event\":\"Signed Up\",\"userId\":\"u\",\"writeKey\":\"{$key}\"}";
        $result = $harness->post($message, ['content-type' => 'text/plain'], $path);

        self::assertSame([204, 1], [$result->response->status, $result->count]);
        self::assertSame(
            [$call === 'track' ? 'Signed Up' : $call, 'site'],
            [self::row($result)['type'], self::row($result)['key']],
        );
        self::assertStringNotContainsString($key, $result->lines);
        self::refused(
            401,
            'unknown_key',
            $harness->post(str_replace($key, 'hrk_other', $message), ['content-type' => 'text/plain'], $path),
        );
        self::refused(
            401,
            'no_key',
            $harness->post(str_replace('writeKey', 'other', $message), ['content-type' => 'text/plain'], $path),
        );
        self::refused(401, 'no_key', $harness->post("{\"writeKey\":\"{$key}\",\"type\":\"t\"}"));
    }

    #[Test]
    public function batches_of_browsers_have_the_key_beside_the_messages(): void
    {
        $harness = $this->harness(new IngestSettings);
        $key = $harness->key(new ApiKey('', 'site'));

        foreach (['/v1/b', '/b', '/beacon/v1/batch', '/v1/import', '//v1/b/'] as $path) {
            $body = "{\"writeKey\":\"{$key}\",\"batch\":[{\"type\":\"page\"},{\"type\":\"track\",\"event\":\"E\"}],"
                .'"sentAt":"x"}';
            self::assertSame(2, $harness->post($body, ['content-type' => 'text/plain'], $path)->count, $path);
            $packed = ['content-type' => 'text/plain', 'content-encoding' => 'gzip'];
            self::assertSame(2, $harness->post((string) gzencode($body), $packed, $path)->count, $path);
        }

        $metrics = "{\"writeKey\":\"{$key}\",\"series\":[{\"type\":\"Counter\",\"metric\":\"analytics_js.invoke\","
            .'"value":1,"tags":{}}]}';
        $result = $harness->post($metrics, ['content-type' => 'text/plain'], '/v1/m');
        self::assertSame(
            ['metric', '{"type":"Counter","metric":"analytics_js.invoke","value":1,"tags":{}}'],
            [self::row($result)['type'], self::row($result)['data']],
        );
    }
}
