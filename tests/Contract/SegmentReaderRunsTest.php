<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Spool\FileStore\Segment\CorruptRange;
use Headroom\Spool\FileStore\Segment\Frame;
use Headroom\Spool\FileStore\Segment\SegmentReader;
use Headroom\Spool\Store\LogEntries;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * A flush reads runs of frames, and other readers read single frames: both see the same, for any damage to the file.
 */
final class SegmentReaderRunsTest extends TestCase
{
    #[Test]
    public function runs_hold_the_frames_that_are_read_one_by_one(): void
    {
        $whole = $this->segment(6);
        $files = [
            $whole,
            $this->segment(400).str_repeat("\0", 17),
            substr($whole, 0, 100).str_repeat("\0", 16).substr($whole, 100),
        ];

        for ($at = 0; $at < strlen($whole); $at++) {
            $files[] = substr($whole, 0, $at);
            $files[] = substr_replace($whole, $whole[$at] ^ "\xFF", $at, 1);
            $files[] = substr_replace($whole, $whole[$at] ^ "\x01", $at, 1);
        }

        foreach ($files as $bytes) {
            self::assertEquals($this->items($bytes, false), $this->items($bytes, true));
        }
    }

    private function segment(int $frames): string
    {
        $bytes = Frame::header('{"format":1} ', 1);

        for ($number = 0; $number < $frames; $number++) {
            $line = sprintf('{"n":%d,"text":"%s"}', 1000 + $number, str_repeat('x', 100 + $number % 7 * 2));
            $bytes .= $number % 3 === 2
                ? Frame::events("{$line}\n{$line} ", 2, strlen($bytes), $number)
                : Frame::events($line, 1, strlen($bytes), $number);
        }

        return $bytes;
    }

    /** @return list<Frame|CorruptRange> */
    private function items(string $bytes, bool $runs): array
    {
        $file = fopen('php://temp', 'w+');
        self::assertIsResource($file);
        fwrite($file, $bytes);
        $items = [];

        foreach ($runs ? (new SegmentReader($file))->runs(1) : (new SegmentReader($file))->read() as $item) {
            array_push($items, ...($item instanceof LogEntries ? $this->frames($item) : [$item]));
        }

        return $items;
    }

    /** @return list<Frame> */
    private function frames(LogEntries $run): array
    {
        return array_map(
            static fn (int $number): Frame => new Frame(
                $run->offsets[$number],
                $run->offsets[$number + 1],
                Frame::TYPE_EVENTS,
                $run->counts[$number],
                $run->times[$number],
                $run->payloads[$number],
            ),
            array_keys($run->payloads),
        );
    }
}
