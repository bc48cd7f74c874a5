<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Ingest;

use Closure;
use Headroom\Collector\Ingest\Authentication\ApiKey;
use Headroom\Collector\Ingest\ErrorCode;
use Headroom\Collector\Ingest\IngestLimits;
use Headroom\Collector\Ingest\IngestSettings;
use Headroom\Collector\IngestResult;
use Headroom\Collector\Request;
use Headroom\Spool\UnableToAppend;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;

/**
 * Each code in an answer, with its status.
 */
final class ErrorCodesTest extends IngestTestCase
{
    /** Clients depend on these codes: changing one breaks the clients. */
    private const STATUSES = [
        'not_json' => 400, 'not_utf8' => 400, 'too_deep' => 400, 'not_an_object' => 422, 'duplicate_member' => 422,
        'too_many_members' => 422,
        'missing_type' => 422, 'invalid_type' => 422, 'missing_id' => 422, 'invalid_id' => 422,
        'missing_source' => 422, 'invalid_source' => 422,
        'invalid_subject' => 422, 'invalid_time' => 422, 'invalid_data' => 422, 'unsupported_specversion' => 422,
        'unknown_type' => 422,
        'schema_mismatch' => 422, 'type_not_allowed' => 403, 'event_too_large' => 413, 'no_events' => 400,
        'nothing_kept' => 422,
        'nothing_accepted' => 422, 'broken_encoding' => 400, 'invalid_idempotency_key' => 400, 'no_key' => 401,
        'unknown_key' => 401,
        'expired_key' => 401, 'revoked_key' => 401, 'bad_signature' => 401, 'origin_not_allowed' => 403,
        'unknown_path' => 404,
        'method_not_allowed' => 405, 'body_too_large' => 413, 'too_many_events' => 413, 'batch_exceeds_rate' => 413,
        'unsupported_media_type' => 415, 'unsupported_encoding' => 415, 'rate_limited' => 429,
        'rate_unavailable' => 503, 'keys_unavailable' => 503,
        'not_stored' => 503,
    ];

    #[Test]
    public function the_words_stay_what_they_are(): void
    {
        $seen = [];

        foreach (ErrorCode::cases() as $code) {
            $seen[$code->value] = $code->status();
        }

        // In words that PHPStan does not find out by itself, as those who read this would.
        self::assertJsonStringEqualsJsonString((string) json_encode(self::STATUSES), (string) json_encode($seen));
        self::assertSame(
            [],
            array_diff(
                array_keys(self::STATUSES),
                array_keys(iterator_to_array(self::events())),
                array_keys(iterator_to_array(self::requests())),
            ),
            'Each has a case here.',
        );
    }

    /** @return iterable<string, array{string}> */
    public static function events(): iterable
    {
        yield 'not_json' => ['{"type":}'];
        yield 'not_utf8' => ["{\"type\":\"\xFF\"}"];
        yield 'too_deep' => ['{"type":"t","data":'.str_repeat('[', 64).str_repeat(']', 64).'}'];
        yield 'not_an_object' => ['"event"'];
        yield 'duplicate_member' => ['{"type":"t","data":1,"data":2}'];
        yield 'too_many_members' => [
            '{"type":"t"'.implode('', array_map(static fn (int $n): string => ",\"m{$n}\":1", range(1, 256))).'}',
        ];
        yield 'missing_type' => ['{"type":null}'];
        yield 'invalid_type' => ['{"type":""}'];
        yield 'invalid_id' => ['{"type":"t","id":"'.str_repeat('i', 257).'"}'];
        yield 'invalid_source' => ['{"type":"t","source":["x"]}'];
        yield 'invalid_subject' => ['{"type":"t","subject":"a\u0000b"}'];
        yield 'invalid_time' => ['{"type":"t","time":"2026-02-30T00:00:00Z"}'];
        yield 'invalid_data' => ['{"type":"t","data_base64":"?"}'];
        yield 'missing_id' => ['{"specversion":"1.0","type":"t","source":"s"}'];
        yield 'missing_source' => ['{"specversion":"1.0","type":"t","id":"s"}'];
        yield 'unsupported_specversion' => ['{"specversion":1.0,"type":"t","id":"s","source":"s"}'];
        yield 'event_too_large' => ['{"type":"t","data":"'.str_repeat('x', 262_144).'"}'];
    }

    #[Test]
    #[DataProvider('events')]
    public function of_one_event(string $event): void
    {
        $code = (string) $this->dataName();
        $harness = $this->harness();
        $alone = self::refused(self::STATUSES[$code], $code, $harness->post($event));
        self::assertIsArray($alone['errors']);
        self::assertSame(1, $alone['rejected']);

        $among = $harness->post(
            "{\"type\":\"good\"}\n{$event}\n{\"type\":\"good\"}",
            ['content-type' => 'application/x-ndjson'],
        );
        self::assertSame([202, 2, [$code => 1]], [$among->response->status, $among->count, $among->rejections]);
    }

    /** @return iterable<string, array{IngestSettings, Closure(PipelineHarness): IngestResult}> */
    public static function requests(): iterable
    {
        $open = new IngestSettings(isAuthenticated: false);
        $closed = new IngestSettings;
        $event = '{"type":"t"}';

        yield 'unknown_type' => [
            new IngestSettings(isAuthenticated: false, types: ['a', 'order.*']), self::posted($event),
        ];
        yield 'schema_mismatch' => [
            new IngestSettings(isAuthenticated: false, schemas: ['t' => ['type' => 'object']]), self::posted($event),
        ];
        yield 'type_not_allowed' => [$closed, self::keyed(new ApiKey('', 'k', types: ['order.*', 'x']), $event)];
        yield 'no_events' => [$open, self::posted('')];
        yield 'nothing_kept' => [$open, self::posted("[{$event},{}]", ['prefer' => 'atomic'])];
        yield 'nothing_accepted' => [$open, self::posted('[5,{}]')];
        yield 'broken_encoding' => [
            $open, self::posted(substr((string) gzencode($event), 0, -1), ['content-encoding' => 'gzip']),
        ];
        yield 'invalid_idempotency_key' => [$open, self::posted($event, ['idempotency-key' => ''])];
        yield 'no_key' => [$closed, self::posted($event)];
        yield 'unknown_key' => [$closed, self::posted($event, ['authorization' => 'Bearer hrk_x'])];
        yield 'expired_key' => [
            $closed, self::keyed(new ApiKey('', 'k', expires: intdiv(PipelineHarness::NOW, 1_000_000)), $event),
        ];
        yield 'revoked_key' => [$closed, static function (PipelineHarness $harness) use ($event): IngestResult {
            [$key, $token] = $harness->keys->create(new ApiKey('', 'k'));
            $harness->keys->revoke($key->id);

            return $harness->post($event, ['authorization' => "bearer {$token}"]);
        }];
        yield 'bad_signature' => [
            new IngestSettings(webhooks: ['x' => ['secret']]),
            self::posted($event, ['webhook-id' => '1', 'webhook-signature' => 'v1,x']),
        ];
        yield 'origin_not_allowed' => [
            new IngestSettings(isAuthenticated: false, origins: ['https://a.example']),
            self::posted($event, ['origin' => 'https://b.example']),
        ];
        yield 'unknown_path' => [
            $open, static fn (PipelineHarness $harness): IngestResult => $harness->ask('POST', '/v2/events'),
        ];
        yield 'method_not_allowed' => [
            $open, static fn (PipelineHarness $harness): IngestResult => $harness->ask('GET', '/v1/events'),
        ];
        yield 'body_too_large' => [$open, self::posted(str_repeat(' ', 5_242_881))];
        yield 'too_many_events' => [
            new IngestSettings(isAuthenticated: false, limits: new IngestLimits(batchEvents: 2)),
            self::posted("[{$event},{$event},{$event}]"),
        ];
        yield 'batch_exceeds_rate' => [$closed, self::keyed(new ApiKey('', 'k', rate: 1), "[{$event},{$event}]")];
        yield 'unsupported_media_type' => [
            $open, self::posted($event, ['content-type' => 'application/x-www-form-urlencoded']),
        ];
        yield 'unsupported_encoding' => [$open, self::posted($event, ['content-encoding' => 'br'])];
        yield 'rate_limited' => [$closed, static function (PipelineHarness $harness) use ($event): IngestResult {
            $key = ['x-write-key' => $harness->key(new ApiKey('', 'k', rate: 1))];
            self::assertSame(1, $harness->post($event, $key)->count);

            return $harness->post($event, $key);
        }];
        yield 'rate_unavailable' => [$closed, static function (PipelineHarness $harness) use ($event): IngestResult {
            $key = ['x-write-key' => $harness->key(new ApiKey('', 'k', rate: 1))];
            touch($harness->directory->file('collector/rates'));

            return $harness->post($event, $key);
        }];
        yield 'keys_unavailable' => [
            $closed, static fn (PipelineHarness $harness): IngestResult => self::withBrokenKeys($harness, $event),
        ];
        yield 'not_stored' => [
            $open,
            static fn (PipelineHarness $harness): IngestResult
                => new IngestResult($harness->pipeline->appendFailed(
                    UnableToAppend::noFreeSlot('/d', 1),
                    new Request('POST', '/v1/events'),
                )),
        ];
    }

    /** @param Closure(PipelineHarness): IngestResult $request */
    #[Test]
    #[DataProvider('requests')]
    public function of_a_request(IngestSettings $settings, Closure $request): void
    {
        $code = (string) $this->dataName();
        $result = $request($this->harness($settings));
        $problem = self::refused(self::STATUSES[$code] ?? 0, $code, $result);
        self::assertSame(in_array(self::STATUSES[$code] ?? 0, [429, 503], true), $problem['retryable']);

        if ($problem['retryable'] === true) {
            self::assertGreaterThan(0, (int) $result->response->headers['Retry-After']);
            self::assertSame((int) $result->response->headers['Retry-After'], $problem['retry_after']);
        }
    }

    /**
     * @param array<string, string> $headers
     * @return Closure(PipelineHarness): IngestResult
     */
    private static function posted(string $body, array $headers = []): Closure
    {
        return static fn (PipelineHarness $harness): IngestResult => $harness->post($body, $headers);
    }

    /** @return Closure(PipelineHarness): IngestResult */
    private static function keyed(ApiKey $scope, string $body): Closure
    {
        return static fn (PipelineHarness $harness): IngestResult
            => $harness->post($body, ['x-write-key' => $harness->key($scope)]);
    }

    #[Test]
    public function the_words_name_the_next_step(): void
    {
        $harness = $this->harness(new IngestSettings);

        self::assertStringContainsString('collect:key create', $harness->post('{}')->response->body);
        self::assertSame('Bearer realm="headroom"', $harness->post('{}')->response->headers['WWW-Authenticate']);
        self::assertSame('POST, OPTIONS', $harness->ask('PUT', '/v1/events')->response->headers['Allow']);
        self::assertSame('GET, HEAD, OPTIONS', $harness->ask('POST', '/v1/version')->response->headers['Allow']);
        self::assertSame(
            404,
            $harness->ask('GET', '/v1/p.gif')->response->status,
            'The pixel is there for who asks for it.',
        );
    }

    private static function withBrokenKeys(PipelineHarness $harness, string $event): IngestResult
    {
        $key = ['x-write-key' => $harness->key(new ApiKey('', 'k'))];
        file_put_contents($harness->keys->path, '{');

        return $harness->post($event, $key);
    }
}
