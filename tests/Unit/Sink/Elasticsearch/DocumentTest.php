<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Sink\Elasticsearch;

use DateTimeImmutable;
use Headroom\Core\Bytes;
use Headroom\Core\Json;
use Headroom\Core\Position;
use Headroom\Core\Record;
use Headroom\Sink\DeduplicationKey;
use Headroom\Sink\Elasticsearch\Document;
use Headroom\Sink\Elasticsearch\IndexName;
use Headroom\Support\InvalidConfig;
use Headroom\Tests\Support\Dug;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class DocumentTest extends TestCase
{
    /** 2025-06-15T15:06:40Z. */
    private const ACCEPTED_AT = 1_750_000_000_000_000;

    #[Test]
    public function columns_are_fields(): void
    {
        $document = $this->document([
            'text' => 'é/"', 'whole' => 2.0, 'large' => PHP_INT_MAX, 'yes' => true, 'none' => null,
            'at' => new DateTimeImmutable('2026-07-14T03:33:20.123456+02:00'), 'raw' => new Bytes("\xFF"),
            'plain' => new Bytes('text'),
            'data' => new Json('{"a":{},"b":[],"c":1.0,"d":12345678901234567890123}'),
        ]);

        self::assertSame(
            '{"@timestamp":"2025-06-15T15:06:40.000000Z","text":"é/\"","whole":2.0,"large":9223372036854775807,'
                .'"yes":true,"none":null,"at":"2026-07-14T03:33:20.123456+02:00","raw":"/w==","plain":"text",'
                .'"data":{"a":{},"b":[],"c":1.0,"d":12345678901234567890123}}',
            $document->json,
        );
    }

    #[Test]
    public function a_line_break_between_two_tokens_does_not_end_the_document(): void
    {
        $document = $this->document(['data' => new Json("{\n  \"a\": 1,\r\n  \"b\": \"\\n\"\n}")]);

        self::assertStringNotContainsString("\n", $document->json);
        self::assertStringNotContainsString("\r", $document->json);
        self::assertSame(['a' => 1, 'b' => "\n"], Dug::json($document->json, 'data'));
    }

    #[Test]
    #[TestWith(['2026-07-14T03:33:20Z', '2026-07-14T03:33:20Z', 1_784_000_000])]
    #[TestWith(['2026-07-14T05:33:20.123456789+02:00', '2026-07-14T05:33:20.123456789+02:00', 1_784_000_000])]
    #[TestWith(['2026-02-31T03:33:20Z', '2025-06-15T15:06:40.000000Z', 1_750_000_000])]
    #[TestWith(['2026-07-14 03:33:20', '2025-06-15T15:06:40.000000Z', 1_750_000_000])]
    #[TestWith(['yesterday', '2025-06-15T15:06:40.000000Z', 1_750_000_000])]
    #[TestWith(["2026-07-14T03:33:20Z\n", '2025-06-15T15:06:40.000000Z', 1_750_000_000])]
    #[TestWith([1_784_000_000, '2025-06-15T15:06:40.000000Z', 1_750_000_000])]
    #[TestWith([null, '2025-06-15T15:06:40.000000Z', 1_750_000_000])]
    public function the_time_is_the_event_s_own_where_it_can_be_told_for_sure(
        mixed $time,
        string $timestamp,
        int $seconds,
    ): void {
        self::assertTrue($time === null || is_scalar($time));
        $document = $this->document(['time' => $time]);

        self::assertSame($timestamp, Dug::json($document->json, '@timestamp'));
        self::assertSame($seconds, $document->seconds);
    }

    #[Test]
    public function a_column_timestamp_of_the_event_comes_first_and_is_there_once(): void
    {
        $document = $this->document(['time' => '2026-07-14T03:33:20Z', '@timestamp' => '2026-01-01T00:00:00Z']);

        self::assertSame(1, substr_count($document->json, '@timestamp'));
        self::assertSame('2026-01-01T00:00:00Z', Dug::json($document->json, '@timestamp'));
    }

    #[Test]
    public function names_that_the_server_keeps_for_itself_get_an_underscore_more(): void
    {
        $document = json_decode($this->document(['_id' => 1, '__id' => 2, '_source' => 3, '_mine' => 4])->json, true);

        self::assertSame(
            [1, 2, 3, 4],
            array_map(
                static fn (string $name): mixed => Dug::out($document, $name),
                ['__id', '___id', '__source', '_mine'],
            ),
        );
    }

    #[Test]
    public function an_event_is_named_by_its_columns_where_it_has_all_of_them(): void
    {
        $names = new DeduplicationKey(['source', 'id']);
        $expected = substr(strtr(base64_encode(hash('sha256', "https://shop\0e-1", true)), '+/', '-_'), 0, 22);

        self::assertSame($expected, $names->of($this->record(['source' => 'https://shop', 'id' => 'e-1'])));
        self::assertSame(
            $names->of($this->record(['source' => 's', 'id' => 7])),
            $names->of($this->record(['source' => 's', 'id' => new Bytes('7')])),
        );
        self::assertNotSame(
            $names->of($this->record(['source' => 'a', 'id' => 'bc'])),
            $names->of($this->record(['source' => 'ab', 'id' => 'c'])),
        );

        foreach ([
            ['source' => 's'],
            ['source' => 's', 'id' => null],
            ['source' => 's', 'id' => ''],
            ['source' => 's', 'id' => new Json('{}')],
        ] as $row) {
            self::assertNull($names->of($this->record($row)));
        }
    }

    #[Test]
    public function a_key_names_no_event_of_another_key_and_the_same_event_again(): void
    {
        $names = new DeduplicationKey(DeduplicationKey::EVENT);
        $name = fn (string $source, string $id, ?string $key): ?string
            => $names->of($this->record(['source' => $source, 'id' => $id, 'key' => $key]));

        // Its own name is the source of events that name none; what is stored under that stays the same event.
        self::assertSame(
            (new DeduplicationKey(['source', 'id']))->of($this->record(['source' => 'shop', 'id' => 'o-1'])),
            $name('shop', 'o-1', 'shop'),
        );
        self::assertSame($name('/web', 'o-1', 'shop'), $name('/web', 'o-1', 'shop'));
        self::assertSame($name('/web', 'o-1', null), $names->of($this->record(['source' => '/web', 'id' => 'o-1'])));

        $all = [];

        foreach (['shop', 'partner', '/web'] as $source) {
            foreach (['shop', 'partner', 'other'] as $key) {
                $all[] = $name($source, 'o-1', $key);
            }
        }

        self::assertCount(9, array_unique($all));
        self::assertNull($name('shop', '', 'shop'));
    }

    #[Test]
    public function the_event_s_time_decides_the_index_unless_it_is_far_away(): void
    {
        $name = IndexName::parse('key', 'events-{yyyy.MM}-x');

        self::assertSame('events-2026.07-x', $name->at(1_784_000_000, 1_784_100_000));
        self::assertSame('events-2025.06-x', $name->at(-62_135_596_800, 1_750_000_000));
        self::assertSame('events-2025.06-x', $name->at(253_402_300_799, 1_750_000_000));
        self::assertNull($name->fixed());
        self::assertSame('events-*-x', $name->wildcard());
        self::assertSame('logs', IndexName::parse('key', 'logs')->fixed());
    }

    #[Test]
    #[TestWith(['Events'])]
    #[TestWith(['_events'])]
    #[TestWith(['a,b'])]
    #[TestWith(['a/b'])]
    #[TestWith(['a*'])]
    #[TestWith(['a"b'])]
    #[TestWith(['a-{MM}'])]
    #[TestWith(['a-{yyyy}-{yyyy}'])]
    #[TestWith(['..'])]
    #[TestWith(["a\n"])]
    #[TestWith(['{yyyy}'])]
    public function names_that_no_server_takes_are_refused(string $name): void
    {
        $this->expectException(InvalidConfig::class);
        IndexName::parse('spool.buckets.events.index', $name);
    }

    /** @param non-empty-array<string, scalar|null|Json|Bytes|DateTimeImmutable> $values */
    private function document(array $values): Document
    {
        return Document::of($this->record($values), 'time');
    }

    /** @param non-empty-array<string, scalar|null|Json|Bytes|DateTimeImmutable> $values */
    private function record(array $values): Record
    {
        return new Record(Position::start(), self::ACCEPTED_AT, $values);
    }
}
