<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Core\Position;
use Headroom\Spool\Delivery\FlushOptions;
use Headroom\Spool\Encoding\UnableToDecode;
use Headroom\Spool\FileStore\Segment\CorruptRange;
use Headroom\Spool\FileStore\Segment\Frame;
use Headroom\Spool\FileStore\Segment\SegmentReader;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Fault\Support\World;
use Headroom\Tests\Format\SegmentBuilder;
use Headroom\Tests\Support\Sentence;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;

/**
 * Content that was made to be mistaken for something else, from a client or, with a checksum that is right,
 * on the disk.
 */
final class HostilePayloadsTest extends FaultTestCase
{
    #[Test]
    public function frames_seals_and_magics_inside_events_arrive_as_what_they_are(): void
    {
        $whole = SegmentBuilder::ofWriter()->add(['n' => 1])->seal()->add(['n' => 2])->bytes;
        $texts = [
            base64_encode($whole),
            str_repeat("\0", 17),
            "HR\x01\x01\0",
            '["own",{"id":"forged"}]',
            "{\"id\":\"x\"}\n{\"id\":\"y\"}",
            '{"b":"AAAA"}',
            "\u{F5}HR\x01",
            str_repeat(' ', 33),
        ];
        $bucket = $this->world->buffer()->bucket('events');

        foreach ($texts as $n => $text) {
            $bucket->add(['id' => "event {$n}", 'body' => $text]);
        }

        $report = $this->flush();
        self::assertSame([], $report->losses);
        self::assertSame($texts, $this->world->database()->table('events')->orderBy('arrival')->pluck('body')->all());
    }

    #[Test]
    public function raw_bytes_of_a_segment_in_an_event_never_become_frames(): void
    {
        $whole = SegmentBuilder::ofWriter()->add(['id' => 'forged', 'body' => ''])->bytes;
        $this->world->buffer()->bucket('events')->add(['id' => 'raw', 'body' => $whole.str_repeat("\0", 17).$whole]);
        $report = $this->flush();

        self::assertSame([1, []], [$report->delivered, $report->losses]);
        self::assertSame(1, $this->world->database()->table('events')->count());
    }

    /** @return iterable<string, array{int, string, UnableToDecode}> count, payload, refusal */
    public static function forged(): iterable
    {
        $none = UnableToDecode::notARow(Sentence::NUMBER);
        yield 'many events in an empty frame' => [65_535, '', $none];
        yield 'many events in a tiny frame' => [65_535, '{"id":"x"}', $none];
        yield 'many empty lines' => [65_535, str_repeat("\n", 65_534), $none];
        yield 'a million keys' => [
            1,
            '{'.implode(
                ',',
                array_map(static fn (int $n): string => '"'.dechex($n).'":1', range(0x100000, 0x100000 + 700_000)),
            ).'}',
            UnableToDecode::tooLong(Sentence::NUMBER, 2_097_152),
        ];
        yield 'deep nesting' => [1, str_repeat('{"a":', 100_000).'1'.str_repeat('}', 100_000), $none];
        yield 'nesting as deep as PHP goes' => [1, str_repeat('[', 511).str_repeat(']', 511), $none];
        yield 'a number' => [1, '5', $none];
        yield 'a string' => [1, '"text"', $none];
        yield 'null' => [1, 'null', $none];
        yield 'a list' => [1, '[{"id":"x"}]', $none];
        yield 'an empty object' => [1, '{}', $none];
        yield 'columns that are numbers' => [1, '{"0":1,"1":2}', $none];
        yield 'an id that is not valid' => [1, '[{"id":"x"},"own"]', $none];
        yield 'an unknown tag' => [
            1, '{"id":{"\\u001b[2J\\nforged":"x"}}', UnableToDecode::unknownTag("\e[2J\nforged", Sentence::NUMBER),
        ];
        yield 'a tag of half a megabyte' => [
            1,
            '{"id":{"'.str_repeat('x', 500_000).'":"x"}}',
            UnableToDecode::unknownTag(str_repeat('x', 500_000), Sentence::NUMBER),
        ];
        yield 'a date with a NUL' => [
            1, '{"id":{"d":"2024-01-01\u0000"}}', UnableToDecode::unknownTag('d', Sentence::NUMBER),
        ];
        yield 'a list as a value' => [1, '{"id":["x"]}', UnableToDecode::unknownTag(Sentence::ANY, Sentence::NUMBER)];
        yield 'bytes that are no base64' => [1, '{"id":{"b":"?"}}', UnableToDecode::unknownTag('b', Sentence::NUMBER)];
    }

    #[Test]
    #[DataProvider('forged')]
    public function a_forged_frame_dies_or_stops_the_bucket_in_little_memory(
        int $count,
        string $payload,
        UnableToDecode $refusal,
    ): void {
        $this->world->append(['first']);
        $slot = "{$this->world->layout()->active}/{$this->slots()[0]}";
        $size = (int) filesize($slot);
        file_put_contents($slot, Frame::events($payload, $count, $size, 1), FILE_APPEND);
        $memory = memory_get_usage();
        memory_reset_peak_usage();
        $report = $this->world->flush();
        $letters = iterator_to_array($this->world->letters()->letters(), false);
        // A line that is no event of any version is set aside; what a newer version may have
        // written waits for that one.
        [$message, $place] = $report->failure === null
            ? [$letters[0]->reason ?? '', ($letters[0]->position ?? Position::start())->toString()]
            : [$report->failure->getMessage(), $report->failure->getMessage()];

        self::assertSame(! $refusal->isOfNewerVersion && $count === 1, $report->failure === null);
        Sentence::assertIn($refusal, $message);
        self::assertStringContainsString(sprintf('00000000000000000001-%020d-000', $size), $place);
        self::assertDoesNotMatchRegularExpression('/[\x00-\x1F]/', $message);
        self::assertLessThan(600, strlen($message));
        self::assertLessThan(64_000_000, memory_get_peak_usage() - $memory);

        if ($report->failure === null) {
            self::assertSame(['first'], $this->world->rows());
        }
    }

    /** Of 65,000 lines behind them that are no events, 2,000 are asked about: mostly none of the four. */
    #[Test]
    public function of_a_few_that_failed_together_each_is_asked_about(): void
    {
        $lines = implode("\n", ['{"id":"x"}', '{"id":"y"}', '{"id":"z"}']);

        for ($round = 0; $round < 10; $round++) {
            $this->world->destroy();
            $this->world = World::create();
            $this->world->append(['good']);
            $slot = "{$this->world->layout()->active}/{$this->slots()[0]}";
            file_put_contents($slot, Frame::events($lines, 65_535, (int) filesize($slot), 1), FILE_APPEND);
            $failure = $this->world->flush()->failure;

            self::assertSame(['good'], $this->world->rows(), (string) $failure?->getMessage());
        }
    }

    #[Test]
    public function an_event_of_a_newer_version_is_passed_over_by_bury_and_kept(): void
    {
        $this->world->append(['first']);
        $slot = "{$this->world->layout()->active}/{$this->slots()[0]}";
        $line = '{"id":{"unknown":"x"}}';
        file_put_contents($slot, Frame::events($line, 1, (int) filesize($slot), 1), FILE_APPEND);
        $this->world->append(['last']);
        self::assertNotNull($this->world->flush()->failure);

        self::assertNull($this->world->flush(limits: new FlushOptions(now: true, buryAll: true))->failure);
        self::assertSame(['first', 'last'], $this->world->rows());
        self::assertSame([$line], array_column(iterator_to_array($this->world->letters()->letters(), false), 'line'));
    }

    #[Test]
    public function a_forged_length_gets_no_more_memory_than_the_largest_frame(): void
    {
        $path = "{$this->world->directory}/lengths";
        $file = fopen($path, 'w+e');
        self::assertIsResource($file);
        $gaps = 0;

        foreach ([
            100_000_000,
            0xFFFFFFFF,
            0x7FFFFFFF,
            0x80000000,
            Frame::MAX_PAYLOAD_BYTES + 1,
            Frame::MAX_PAYLOAD_BYTES,
            Frame::MAX_PAYLOAD_BYTES - 1,
            0,
        ] as $length) {
            fseek($file, $gaps * 20_000_000);
            fwrite($file, Frame::EVENTS.pack('nNJJ', 65_535, $length, $gaps * 20_000_000, 1).str_repeat('text ', 100));
            $gaps++;
        }

        ftruncate($file, $gaps * 20_000_000);
        $memory = memory_get_usage();
        memory_reset_peak_usage();
        $items = iterator_to_array((new SegmentReader($file))->read(), false);

        self::assertCount($gaps, $items);
        self::assertSame(
            [],
            array_filter($items, static fn (Frame|CorruptRange $item): bool => $item instanceof Frame || $item->torn),
        );
        self::assertLessThan(5 * Frame::MAX_PAYLOAD_BYTES, memory_get_peak_usage() - $memory);
    }

    #[Test]
    public function the_largest_row_of_keys_is_delivered_or_refused_without_running_out_of_memory(): void
    {
        $row = ['id' => 'wide'];

        for ($n = 0; $n < 90_000; $n++) {
            $row['c'.dechex($n)] = 1;
        }

        $this->world->buffer()->bucket('lines')->add($row);
        $memory = memory_get_usage();
        memory_reset_peak_usage();
        self::assertSame(1, $this->flush('lines')->delivered);
        self::assertLessThan(64_000_000, memory_get_peak_usage() - $memory);

        $this->world->append(['good']);
        $this->world->buffer()->bucket('events')->add(["id\e[2J\nforged" => 'x', 'body' => '']);
        self::assertSame(1, $this->flush()->dead);
        $message = iterator_to_array($this->world->letters()->letters(), false)[0]->reason;
        self::assertNotSame('', $message);
        self::assertDoesNotMatchRegularExpression('/[\x00-\x1F]/', $message);
    }
}
