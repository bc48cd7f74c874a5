<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Ingest;

use Headroom\Collector\Ingest\Authentication\ApiKey;
use Headroom\Collector\Ingest\IngestSettings;
use Headroom\Collector\Ingest\Router;
use Headroom\Collector\Request;
use Headroom\Spool\UnableToAppend;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;

/**
 * Paths as clients put them together from an address and the rest.
 */
final class PathsTest extends IngestTestCase
{
    private const LOGS = '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{}]}]}]}';

    /** @return iterable<string, array{string}> */
    public static function spellings(): iterable
    {
        foreach (['/%s', '//%s', '/%s/', '//%s//', '///%s'] as $spelling) {
            foreach (['v1/events', 'v1/logs', 'v1//logs', 'v1/track', 'v1/version'] as $path) {
                yield sprintf($spelling, $path) => [sprintf($spelling, $path)];
            }
        }
    }

    #[Test]
    #[DataProvider('spellings')]
    public function a_slash_too_many_changes_nothing(string $path): void
    {
        $single = '/'.implode('/', array_filter(explode('/', $path), static fn (string $part): bool => $part !== ''));
        $body = $single === '/v1/logs' ? self::LOGS : '{"type":"a","event":"e"}';
        $answers = [];

        foreach ([$path, $single] as $one) {
            // A key, so that what it may do is looked at for both.
            $harness = $this->harness(new IngestSettings);
            $headers = [
                'content-type' => 'application/json',
                'x-write-key' => $harness->key(new ApiKey('', 'k', rate: 1)),
            ];
            $method = $single === '/v1/version' ? 'GET' : 'POST';
            $ask = static fn ()
                => $harness->pipeline->ingest(new Request($method, $one, '', $headers, $body), PipelineHarness::NOW);
            $first = $ask();
            $second = $ask();
            $answers[] = [
                $first->response,
                $first->lines,
                $second->response,
                $harness->ask('OPTIONS', $one)->response,
                $harness->ask('PUT', $one)->response,
                $harness->post($body, path: $one)->response,
            ];
        }

        self::assertEquals($answers[1], $answers[0]);
        self::assertSame($single === '/v1/version' ? 200 : 429, $answers[0][2]->status, 'The rate counts both.');
    }

    #[Test]
    public function an_error_of_logs_has_its_form_under_each_spelling(): void
    {
        $failure = UnableToAppend::quotaReached('/secret', 1, 1, 1);
        $answer = $this->harness()->pipeline->appendFailed($failure, new Request('POST', '//v1/logs/'));

        self::assertSame([503, 14], [$answer->status, ((array) json_decode($answer->body, true))['code'] ?? null]);
    }

    #[Test]
    public function other_paths_stay_unknown_and_the_nearest_is_named(): void
    {
        $near = [
            '/api/v1/logs' => '/v1/logs', '/v1/log' => '/v1/logs', '/v1/event' => '/v1/events',
            '/events' => '/v1/events', '/logs' => '/v1/logs',
            '/V1/LOGS' => '/v1/logs', '/v1/%6Cogs' => '/v1/logs', '/v1/logs/export' => '/v1/logs',
            '/v1/batch.json' => '/v1/batch',
            '/v1/trace' => '/v1/traces', '/v1/metric' => '/v1/metrics', '/v1/logs;a=b' => '/v1/logs',
            '/v1/evnets' => '/v1/events',
            '/v1/tracks' => '/v1/track', '/V1/events' => '/v1/events', '/ingest/v1/events/' => '/v1/events',
        ];

        foreach ($near as $path => $meant) {
            $detail = self::refused(404, 'unknown_path', $this->harness()->post('{}', path: $path))['detail'] ?? '';
            self::assertIsString($detail);
            self::assertStringContainsString(" {$meant}?", $detail, $path);
        }

        foreach ([
            '/',
            '//',
            '',
            '/v1',
            '/v2/orders',
            '/.env',
            '/wp-login.php',
            str_repeat('/a', 4_000),
            '/v1/../v1/events',
            '/v1/%65vents',
        ] as $path) {
            $detail = self::refused(404, 'unknown_path', $this->harness()->post('{}', path: $path))['detail'] ?? '';
            self::assertIsString($detail);
            self::assertLessThan(600, strlen($detail));
        }

        self::assertSame('/', Router::normalized(new Request('GET', '//'))->path);
    }

    #[Test]
    public function traces_and_metrics_are_told_where_logs_are(): void
    {
        foreach (['/v1/traces', '/v1/metrics', '//v1/traces/'] as $path) {
            foreach (['application/json', 'application/x-protobuf'] as $type) {
                $result = $this->harness()->post('x', ['content-type' => $type], $path);

                self::assertSame(
                    [404, 0, $type],
                    [$result->response->status, $result->count, $result->response->headers['Content-Type']],
                );
                self::assertStringContainsString('/v1/logs', $result->response->body);
            }
        }
    }
}
