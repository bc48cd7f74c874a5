<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Ingest;

use Headroom\Collector\Ingest\EventEncoder;
use Headroom\Collector\Ingest\Format\EventShapeCache;
use Headroom\Collector\Ingest\Format\JsonEventReader;
use Headroom\Collector\Ingest\Json\JsonObject;
use Headroom\Spool\Encoding\Codec;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;

/**
 * The sinks get exactly the events that were sent.
 */
final class FidelityTest extends IngestTestCase
{
    /** @return iterable<string, array{string}> */
    public static function values(): iterable
    {
        $values = [
            '{}', '[]', '[[],{}]', '1.0', '-0', '-0.0', '1e400', '1E+2', '123456789012345678901234567890',
            '-9223372036854775809', '0.1000000000000000055511151231257827', 'true', 'null', '""',
            '{"b":1,"a":2,"10":3,"2":4,"":5}', '{"a":1,"a":2}', '"\u00e9\ud83d\ude00\/\u0000\u2028"',
            "\"\u{1F600}\u{2028}é\x7F\"", '"\\\\\"{}[],:"', '{"j":"x"}', '[{"d":"x"}]', '{"a" : [ 1 , 2 ] }', "[\t1]",
            str_repeat('[', 63).str_repeat(']', 63), '{"\u0000a":1}',
        ];

        foreach ($values as $value) {
            yield $value => [$value];
        }
    }

    #[Test]
    #[DataProvider('values')]
    public function data_keeps_its_text(string $value): void
    {
        $harness = $this->harness();

        // Twice: the second one is read by the shape of the first.
        foreach ([1, 2] as $time) {
            foreach ([
                "{\"type\":\"t\",\"data\":{$value}}",
                "{\"data\": {$value} , \"type\":\"t\"}",
                "[{\"type\":\"t\",\"data\":{$value}}]",
            ] as $body) {
                self::assertSame($value, self::row($harness->post($body))['data']);
            }

            self::assertSame(
                "{\"x\":{$value}}",
                self::row($harness->post("{\"type\":\"t\",\"x\":{$value}}"))['extensions'] ?? '{"x":null}',
            );
        }
    }

    #[Test]
    public function a_line_feed_between_values_becomes_a_space(): void
    {
        self::assertSame(
            '{  "a": "\n" }',
            self::row($this->harness()->post("{\"type\":\"t\",\"data\":{\r\n\"a\": \"\\n\"\n}}"))['data'],
        );
    }

    #[Test]
    public function names_with_escapes_are_the_names_they_mean(): void
    {
        $row = self::row($this->harness()->post('{"typ\u0065":"t","d\u0061ta":{"data":5},"e\"x":1}'));

        self::assertSame(['t', '{"data":5}', '{"e\"x":1}'], [$row['type'], $row['data'], $row['extensions']]);
    }

    #[Test]
    public function an_event_read_by_its_shape_is_the_line_that_the_codec_writes(): void
    {
        $envelope = new EventShapeCache(64);
        $members = new JsonObject(64);
        $row = new EventEncoder(new Codec, 'source "é"', 'key\\', PipelineHarness::NOW);

        foreach ([
            '{"type":"a/é'."\u{2028}".'","id":"i","time":"2026-01-01T00:00:00Z","data":{"a":"\\\\\"\n'."\u{1F600}"
                .'/","b":[1.0,-2e5,true,null,{}]}}',
            '{"type": "a", "source": "s", "subject": "x"}',
            '{"data":[],"type":"a"}',
        ] as $text) {
            (new JsonEventReader($members, shapes: $envelope))->read($text, 9_999);
            $event = $envelope->read($text, 9_999);
            self::assertNotNull($event, $text);
            self::assertTrue($event->isPlain);
            self::assertSame((new Codec)->encode($row->columns($event, 'id')), $row->line($event, 'id'));
            self::assertEquals((new JsonEventReader($members))->read($text, 9_999)->data, $event->data);
        }
    }
}
