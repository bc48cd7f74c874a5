<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Sink;

use DateTimeImmutable;
use DateTimeZone;
use Headroom\Core\Bytes;
use Headroom\Core\Json;
use Headroom\Core\Position;
use Headroom\Core\Record;
use Headroom\Sink\JsonLine;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class JsonLineTest extends TestCase
{
    #[Test]
    public function a_record_is_one_line_of_json_that_begins_with_its_id_and_time(): void
    {
        $record = new Record(Position::start(), 1_750_000_000_000_042, [
            'text' => "two\nlines/\u{2028}🚀",
            'number' => PHP_INT_MAX,
            'ratio' => 2.0,
            'none' => null,
            'flag' => false,
            'data' => new Json('{"b":1,"a":[]}'),
            'at' => new DateTimeImmutable('2025-03-01 12:00:00.5', new DateTimeZone('Asia/Kathmandu')),
        ]);

        self::assertSame(
            '{"_id":"n/b/1","_accepted_at":"2025-06-15T15:06:40.000042Z","text":"two\nlines/\u2028🚀",'
                .'"number":9223372036854775807,"ratio":2.0,"none":null,'
            .'"flag":false,"data":{"b":1,"a":[]},"at":"2025-03-01T12:00:00.500000+05:45"}',
            JsonLine::of('n/b/1', $record),
        );
    }

    #[Test]
    public function a_column_that_is_called_like_one_of_these_takes_the_place_of_neither(): void
    {
        $record = new Record(
            Position::start(),
            0,
            ['_id' => 1, '__id' => 2, '_accepted_at' => 3, '_ids' => 4, 'id' => 5],
        );

        self::assertSame(
            '{"_id":"i","_accepted_at":"1970-01-01T00:00:00.000000Z","__id":1,"___id":2,"__accepted_at":3,'
                .'"_ids":4,"id":5}',
            JsonLine::of('i', $record),
        );
    }

    #[Test]
    public function bytes_are_base64_only_where_they_are_not_utf8(): void
    {
        $record = new Record(Position::start(), 0, ['latin' => new Bytes("caf\xE9"), 'utf8' => new Bytes('café')]);

        self::assertSame(
            '{"_id":"i","_accepted_at":"1970-01-01T00:00:00.000000Z","latin":"Y2Fm6Q==","utf8":"café"}',
            JsonLine::of('i', $record),
        );
    }

    #[Test]
    public function json_that_was_written_over_lines_is_one_line_and_says_the_same(): void
    {
        $json = "{\r\n\t\"text\": \"two\\nlines\\r\\\\\",\n  \"list\": [\n    1.0,\r    {}\n  ]\n}\n";
        $line = JsonLine::of('i', new Record(Position::start(), 0, ['data' => new Json($json)]));

        self::assertSame(0, preg_match('/[\r\n]/', $line), $line);
        self::assertSame(
            '{"_id":"i","_accepted_at":"1970-01-01T00:00:00.000000Z","data":{  \t"text": "two\nlines\r\\\\",   "list":'
                .' [     1.0,     {}   ] } }',
            str_replace("\t", '\t', $line),
        );
        self::assertEquals(
            (object) ['_id' => 'i', '_accepted_at' => '1970-01-01T00:00:00.000000Z', 'data' => json_decode($json)],
            json_decode($line),
        );
    }
}
