<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault;

use Headroom\Spool\File\Frame;
use Headroom\Spool\File\Gap;
use Headroom\Spool\File\Scanner;
use Headroom\Spool\Flush\FlushReport;
use Headroom\Spool\UnableToFlush;
use Headroom\Tests\Fault\Support\FaultTestCase;
use Headroom\Tests\Format\SegmentBuilder;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;

/**
 * Content that was made to be mistaken for something else, from a client or, with a checksum that is right, on the disk.
 */
final class HostilePayloadsTest extends FaultTestCase
{
    #[Test]
    public function frames_seals_and_magics_inside_events_arrive_as_what_they_are(): void
    {
        $whole = SegmentBuilder::ofWriter()->add(['n' => 1])->seal()->add(['n' => 2])->bytes;
        $texts = [base64_encode($whole), str_repeat("\0", 17), "HR\x01\x01\0", '["own",{"id":"forged"}]', "{\"id\":\"x\"}\n{\"id\":\"y\"}", '{"b":"AAAA"}', "\u{F5}HR\x01", str_repeat(' ', 33)];
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

    /** @return iterable<string, array{string, string}> payload, what the refusal says */
    public static function ofANewerVersion(): iterable
    {
        yield 'a million keys' => ['{'.implode(',', array_map(static fn (int $n): string => '"'.dechex($n).'":1', range(0x100000, 0x100000 + 700_000))).'}', 'bytes long; the limit is 2097152 bytes'];
        yield 'an unknown tag' => ['{"id":{"\\u001b[2J\\nforged":"x"}}', 'the tag \'\e[2J\nforged\''];
        yield 'a tag of half a megabyte' => ['{"id":{"'.str_repeat('x', 500_000).'":"x"}}', 'the tag \'xxx'];
        yield 'a date with a NUL' => ['{"id":{"d":"2024-01-01\u0000"}}', 'the tag \'d\''];
        yield 'a list as a value' => ['{"id":["x"]}', 'has a value with the tag'];
        yield 'bytes that are no base64' => ['{"id":{"b":"?"}}', 'the tag \'b\''];
    }

    #[Test]
    #[DataProvider('ofANewerVersion')]
    public function what_a_newer_version_may_have_written_stops_the_bucket_in_little_memory_and_names_its_place(string $payload, string $said): void
    {
        [$report, $offset] = $this->flushForged(1, $payload);

        self::assertInstanceOf(UnableToFlush::class, $report->failure);
        self::assertStringContainsString($said, $report->failure->getMessage());
        self::assertStringContainsString(sprintf('00000000000000000001-%020d-00000', $offset), $report->failure->getMessage());
        self::assertDoesNotMatchRegularExpression('/[\x00-\x1F]/', $report->failure->getMessage());
        self::assertLessThan(600, strlen($report->failure->getMessage()));
    }

    /** @return iterable<string, array{string}> */
    public static function noEvents(): iterable
    {
        yield 'deep nesting' => [str_repeat('{"a":', 100_000).'1'.str_repeat('}', 100_000)];
        yield 'nesting as deep as PHP goes' => [str_repeat('[', 511).str_repeat(']', 511)];
        yield 'a number' => ['5'];
        yield 'a string' => ['"text"'];
        yield 'null' => ['null'];
        yield 'a list' => ['[{"id":"x"}]'];
        yield 'an empty object' => ['{}'];
        yield 'columns that are numbers' => ['{"0":1,"1":2}'];
        yield 'an id that is none' => ['[{"id":"x"},"own"]'];
    }

    #[Test]
    #[DataProvider('noEvents')]
    public function a_line_that_is_no_event_becomes_a_dead_letter_in_little_memory(string $payload): void
    {
        [$report, $offset] = $this->flushForged(1, $payload);
        $letters = iterator_to_array($this->world->letters()->letters(), false);

        self::assertNull($report->failure, $report->failure?->getMessage() ?? '');
        self::assertSame(['first'], $this->world->rows());
        self::assertCount(1, $letters);
        self::assertSame(sprintf('00000000000000000001-%020d-00000', $offset), $letters[0]->position->toString());
        self::assertStringContainsString('is not an event', $letters[0]->reason);
        self::assertLessThan(600, strlen($letters[0]->reason));
    }

    #[Test]
    #[TestWith([''])]
    #[TestWith(['{"id":"x"}'])]
    #[TestWith(["\n"])]
    public function a_frame_that_says_many_events_and_holds_none_stops_the_bucket_in_little_memory(string $payload): void
    {
        [$report] = $this->flushForged(65_535, $payload === "\n" ? str_repeat("\n", 65_534) : $payload);

        self::assertInstanceOf(UnableToFlush::class, $report->failure);
        self::assertStringContainsString('has refused 50 events in a row', $report->failure->getMessage());
        self::assertStringContainsString('is not an event', $report->failure->getMessage());
    }

    /** @return array{FlushReport, int} and where in the slot the frame lies */
    private function flushForged(int $count, string $payload): array
    {
        $this->world->append(['first']);
        $slot = "{$this->world->layout()->active}/{$this->slots()[0]}";
        $size = (int) filesize($slot);
        file_put_contents($slot, Frame::events($payload, $count, $size, 1), FILE_APPEND);
        $memory = memory_get_usage();
        memory_reset_peak_usage();
        $report = $this->world->flush();
        self::assertLessThan(64_000_000, memory_get_peak_usage() - $memory);

        return [$report, $size];
    }

    #[Test]
    public function a_length_can_claim_what_it_likes_and_never_gets_more_memory_than_the_largest_frame(): void
    {
        $path = "{$this->world->directory}/lengths";
        $file = fopen($path, 'w+e');
        self::assertIsResource($file);
        $gaps = 0;

        foreach ([100_000_000, 0xFFFFFFFF, 0x7FFFFFFF, 0x80000000, Frame::MAX_PAYLOAD_BYTES + 1, Frame::MAX_PAYLOAD_BYTES, Frame::MAX_PAYLOAD_BYTES - 1, 0] as $length) {
            fseek($file, $gaps * 20_000_000);
            fwrite($file, Frame::EVENTS.pack('nNJJ', 65_535, $length, $gaps * 20_000_000, 1).str_repeat('text ', 100));
            $gaps++;
        }

        ftruncate($file, $gaps * 20_000_000);
        $memory = memory_get_usage();
        memory_reset_peak_usage();
        $items = iterator_to_array((new Scanner($file))->read(), false);

        self::assertCount($gaps, $items);
        self::assertSame([], array_filter($items, static fn (Frame|Gap $item): bool => $item instanceof Frame || $item->torn));
        self::assertLessThan(5 * Frame::MAX_PAYLOAD_BYTES, memory_get_peak_usage() - $memory);
    }

    #[Test]
    public function the_largest_row_of_keys_that_is_taken_is_delivered_or_refused_by_name_and_not_by_running_out_of_memory(): void
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

        $this->world->buffer()->bucket('events')->add(["id\e[2J\nforged" => 'x', 'body' => '']);
        $report = $this->flush();
        self::assertSame(1, $report->dead);
        self::assertStringContainsString('has no column named id\e[2J', $report->firstDeath ?? '');
        self::assertDoesNotMatchRegularExpression('/[\x00-\x1F]/', $report->firstDeath ?? '');
    }
}
