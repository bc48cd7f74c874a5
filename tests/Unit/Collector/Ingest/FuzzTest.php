<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Ingest;

use Headroom\Collector\Ingest\EventError;
use Headroom\Collector\Ingest\Format\EventShapeCache;
use Headroom\Collector\Ingest\Format\JsonEventReader;
use Headroom\Collector\Ingest\Json\JsonObject;
use PHPUnit\Framework\Attributes\Test;
use Random\Engine\Mt19937;
use Random\Randomizer;

/**
 * Mutations of valid requests: never an exception, and what is accepted can be read back. HEADROOM_FUZZ_CASES asks for
 * more of them, HEADROOM_FUZZ_SEED for the same ones again.
 */
final class FuzzTest extends IngestTestCase
{
    private const SEEDS = [
        [
            '/v1/events',
            'application/json',
            '{"type":"a","id":"1","source":"s","time":"2026-11-22T08:00:00.5Z","subject":"x","data":{"n":[1.0,-2e3,'
                .'true,null,"\u00e9\ud83d\ude00é\n"]}}',
        ],
        [
            '/v1/events',
            'application/json',
            '[{"type":"a","data":{}},{"specversion":"1.0","id":"1","source":"s","type":"t",'
                .'"data_base64":"AQID","ext":1}]',
        ],
        [
            '/v1/events',
            'application/x-ndjson',
            "{\"type\":\"a\",\"data\":[1]}\n{\"type\":\"b\",\"data\":{\"k\":\"v\"}}\n{\"type\":\"c\",\"data\":\"x\"}",
        ],
        [
            '/v1/events',
            'application/cloudevents-batch+json',
            '[{"specversion":"1.0","id":"1","source":"s","type":"t","data":"<a/>"}]',
        ],
        [
            '/v1/batch',
            'application/json',
            '{"batch":[{"type":"track","event":"E","userId":1,"properties":{"a":1.10}},{"type":"page",'
                .'"messageId":"m"}],"context":{"a":1},"sentAt":"x"}',
        ],
        ['/v1/track', 'text/plain', '{"event":"E","anonymousId":"a","writeKey":"k"}'],
        [
            '/v1/logs',
            'application/json',
            '{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"shop"}}]},'
                .'"scopeLogs":[{"scope":{},"logRecords":[{"timeUnixNano":"1544712660300000000"},{}]}]}]}',
        ],
    ];

    private const PIECES = [
        '"', '{', '}', '[', ']', ',', ':', '\\', '\u0000', '\ud83d', "\0", "\xFF", "\n", "\r", ' ', '1e999', '-', '.',
        'null', '"type"', '"data":', '"d\u0061ta":', '{"a":1}', "\u{2028}", "\x7F", '12345678901234567890',
        '"type":"x",', '/',
    ];

    #[Test]
    public function nothing_throws_and_what_is_accepted_is_read_back(): void
    {
        [$seed, $cases] = self::plan();
        $random = new Randomizer(new Mt19937($seed));
        $harness = $this->harness();
        $accepted = 0;

        for ($case = 0; $case < $cases; $case++) {
            [$path, $type, $body] = self::SEEDS[$random->getInt(0, count(self::SEEDS) - 1)];
            $body = self::mutated($body, $random);
            $result = $harness->post($body, ['content-type' => $type], $path);
            $where = "Seed {$seed}, case {$case}: ".json_encode($body, JSON_INVALID_UTF8_SUBSTITUTE)
                ." gave {$result->response->body}";

            self::assertContains($result->response->status, [200, 202, 204, 400, 403, 413, 422], $where);
            self::assertSame($result->count > 0, $result->bucket !== '', $where);

            if ($result->count === 0) {
                self::assertSame('', $result->lines, $where);

                continue;
            }

            $rows = PipelineHarness::rows($result->lines);
            self::assertCount($result->count, $rows, $where);
            $accepted += $result->count;

            foreach ($rows as $row) {
                foreach (['data', 'extensions'] as $column) {
                    $text = $row[$column];
                    self::assertTrue(
                        $text === null || (is_string($text) && self::isText($text) && strpbrk($text, "\r\n") === false),
                        "{$column}: {$where}",
                    );
                }
            }
        }

        self::assertGreaterThan(intdiv($cases, 10), $accepted, 'Too few of them were right to say anything.');
    }

    #[Test]
    public function by_shape_and_the_long_way_are_the_same(): void
    {
        [$seed, $cases] = self::plan();
        $random = new Randomizer(new Mt19937($seed + 1));
        $members = new JsonObject(8);
        $long = new JsonEventReader($members);
        $text = self::SEEDS[0][2];
        $plain = str_replace('\u00e9\ud83d\ude00', '', $text);
        $byShape = 0;

        for ($case = 0; $case < $cases; $case++) {
            $envelope = new EventShapeCache(8);
            (new JsonEventReader($members, shapes: $envelope))->read($plain, 9_999);
            $body = $case % 4 === 0 ? $plain : self::mutated($plain, $random);
            $quick = $envelope->read($body, 300);

            if ($quick === null) {
                continue;
            }

            $byShape++;

            try {
                $slow = $long->read($body, 300);
            } catch (EventError $e) {
                self::fail(
                    "Seed {$seed}, case {$case}: ".json_encode($body, JSON_INVALID_UTF8_SUBSTITUTE)
                        ." was taken by its shape; the long way says: {$e->getMessage()}",
                );
            }

            self::assertSame(
                [$slow->type, $slow->id, $slow->source, $slow->time, $slow->subject, $slow->data, $slow->extensions],
                [
                    $quick->type,
                    $quick->id,
                    $quick->source,
                    $quick->time,
                    $quick->subject,
                    $quick->data,
                    $quick->extensions,
                ],
            );
        }

        self::assertGreaterThan(intdiv($cases, 4), $byShape);
    }

    private static function isText(string $text): bool
    {
        json_decode($text);

        // PHP makes no property of a name that begins with a NUL, which is JSON all the same.
        return in_array(json_last_error(), [JSON_ERROR_NONE, JSON_ERROR_INVALID_PROPERTY_NAME], true);
    }

    /** @return array{int, int} */
    private static function plan(): array
    {
        $seed = getenv('HEADROOM_FUZZ_SEED');
        $cases = getenv('HEADROOM_FUZZ_CASES');

        return [
            is_string($seed) && $seed !== '' ? (int) $seed : random_int(1, 1_000_000),
            is_string($cases) && $cases !== '' ? (int) $cases : 3_000,
        ];
    }

    private static function mutated(string $body, Randomizer $random): string
    {
        for ($times = $random->getInt(0, 3); $times > 0; $times--) {
            $at = $random->getInt(0, strlen($body));
            $piece = self::PIECES[$random->getInt(0, count(self::PIECES) - 1)];

            $body = match ($random->getInt(0, 4)) {
                0 => substr($body, 0, $at).$piece.substr($body, $at),
                1 => substr($body, 0, $at).substr($body, $at + $random->getInt(1, 4)),
                2 => substr($body, 0, $at).$piece.substr($body, $at + 1),
                3 => substr($body, 0, $at).substr($body, max(0, $at - $random->getInt(1, 20))),
                default => substr($body, 0, $at).chr($random->getInt(0, 255)).substr($body, $at + 1),
            };
        }

        return $body;
    }
}
