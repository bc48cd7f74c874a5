<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Ingest;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;

/**
 * Bodies that are compressed once more than their headers say.
 */
final class CompressedTest extends IngestTestCase
{
    private const EVENT = '{"type":"track","id":"1","source":"s","specversion":"1.0","anonymousId":"x","event":"e"}';

    /** @return iterable<string, array{string, array<string, string>, string}> path, headers and body */
    public static function formats(): iterable
    {
        $event = self::EVENT;
        $json = ['content-type' => 'application/json'];

        yield 'an event' => ['/v1/events', $json, $event];
        yield 'an array' => ['/v1/events', $json, "[{$event},{$event}]"];
        yield 'a beacon' => ['/v1/events', ['content-type' => 'text/plain'], $event];
        yield 'lines' => ['/v1/events', ['content-type' => 'application/x-ndjson'], "{$event}\n{$event}\n"];
        yield 'a CloudEvent' => ['/v1/events', ['content-type' => 'application/cloudevents+json'], $event];
        yield 'CloudEvents' => ['/v1/events', ['content-type' => 'application/cloudevents-batch+json'], "[{$event}]"];
        yield 'a call' => ['/v1/track', $json, $event];
        yield 'calls' => ['/v1/batch', $json, "{\"batch\":[{$event}]}"];
        yield 'logs' => ['/v1/logs', $json, '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{}}]}]}]}'];
        $logs = "\x0A\x06\x12\x04\x12\x02\x10\x09";
        yield 'logs in Protocol Buffers' => ['/v1/logs', ['content-type' => 'application/x-protobuf'], $logs];
    }

    /** @param array<string, string> $headers */
    #[Test]
    #[DataProvider('formats')]
    public function a_body_whose_coding_no_header_names_is_told_so(string $path, array $headers, string $body): void
    {
        $codings = ['gzip' => gzencode(...), 'deflate' => gzcompress(...)];
        self::assertGreaterThan(0, $this->harness()->post($body, $headers, $path)->count);

        foreach ($codings as $coding => $compress) {
            foreach ([1, 6, 9] as $level) {
                $packed = (string) $compress($body, $level);
                $bare = $this->harness()->post($packed, $headers, $path);
                $twice = $this->harness()->post(
                    (string) gzencode($packed),
                    $headers + ['content-encoding' => 'gzip'],
                    $path,
                );
                $named = $this->harness()->post($packed, $headers + ['content-encoding' => $coding], $path);

                foreach ([$bare, $twice] as $result) {
                    self::assertSame([400, 0], [$result->response->status, $result->count], $coding);
                    self::assertStringContainsString("Content-Encoding: {$coding}", $result->response->body);
                }

                self::assertGreaterThan(0, $named->count, $coding);
            }
        }

        $zstd = $this->harness()->post("\x28\xB5\x2F\xFD\x04\x00\x59\x00\x00a", $headers, $path);
        self::assertSame([400, 0], [$zstd->response->status, $zstd->count]);
        self::assertStringContainsString('zstd', $zstd->response->body);
    }

    #[Test]
    public function other_errors_keep_their_words(): void
    {
        foreach (['hello', 'x', '{', "\x1F", "\x78", "\xFF\xFE{\x00", '(a)'] as $body) {
            $answer = $this->harness()->post($body)->response;
            self::assertSame(400, $answer->status);
            self::assertStringNotContainsString('compressed', $answer->body, bin2hex($body));
        }
    }

    #[Test]
    public function bytes_of_a_binary_event_are_data_even_where_they_are_compressed(): void
    {
        $headers = ['ce-specversion' => '1.0', 'ce-id' => '1', 'ce-source' => 's', 'ce-type' => 'a'];
        $headers += ['content-type' => 'application/octet-stream'];

        self::assertSame(1, $this->harness()->post((string) gzencode('a'), $headers)->count);
    }
}
