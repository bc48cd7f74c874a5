<?php

declare(strict_types=1);

namespace Headroom\Tests\Format;

use DateTimeImmutable;
use Headroom\Core\Position;
use Headroom\Sink\Progress;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\Segment\Frame;
use Headroom\Spool\FileStore\State\StateFile;
use Headroom\Spool\Store\State\Attempts;
use Headroom\Spool\Store\State\DeliveryState;
use Headroom\Spool\Store\State\Intent;
use Headroom\Spool\Store\State\RateWindow;
use Headroom\Spool\Store\State\RetryState;
use Headroom\Spool\Store\State\StateRecord;
use Headroom\Spool\Store\State\ThroughputSample;
use Headroom\Spool\Utf8;

/**
 * The files below golden/v1: what the package's writer makes, and the same after byte surgery.
 */
final class GoldenFiles
{
    /** Bytes of a torn frame, from its start or its end. */
    private const CUTS = [
        'in-magic' => 3,
        'in-header' => 10,
        'in-own-offset' => 15,
        'in-time' => 27,
        'after-header' => 28,
        'in-payload' => 60,
        'in-checksum' => -2,
    ];

    /** @return array<string, string> content by path below golden/v1 */
    public static function all(): array
    {
        return [
            ...self::whole(),
            ...self::torn(),
            ...self::damaged(),
            ...self::sealed(),
            ...self::zeros(),
            ...self::borrowed(),
            ...self::states(),
            ...self::bucket(),
        ];
    }

    /** @return array<string, string> */
    private static function whole(): array
    {
        $binary = new Codec(Utf8::Binary);

        return [
            'empty.log' => '',
            'one-event.log' => SegmentBuilder::withHeader()->add(['id' => 1, 'name' => 'Ada'])->bytes,
            'without-header.log' => (new SegmentBuilder)->add(['id' => 1, 'name' => 'Ada'])->bytes,
            'many-events-in-a-frame.log' => SegmentBuilder::withHeader()
                ->add(['n' => 1])
                ->add(...array_map(
                    static fn (int $n): array => ['n' => $n, 'text' => str_repeat('=', $n)],
                    range(2, 13),
                ))
                ->add(['n' => 14])->bytes,
            'scalars.log' => SegmentBuilder::withHeader()
                ->add([
                    'text' => '',
                    'zero' => 0,
                    'max' => PHP_INT_MAX,
                    'min' => PHP_INT_MIN,
                    'yes' => true,
                    'no' => false,
                    'nothing' => null,
                ])
                ->add([
                    'one' => 1.0,
                    'minus_zero' => -0.0,
                    'tenth' => 0.1,
                    'large' => 1.0e25,
                    'small' => 5.0e-324,
                    'whole' => 9007199254740993.0,
                ])->bytes,
            'all-tags.log' => SegmentBuilder::withHeader($binary)
                ->add([
                    'j' => ['a' => [1, 2.5, null, true], 'b' => [], 'c' => ['d' => 'é/<\\']],
                    'd' => new DateTimeImmutable('2024-02-29T23:59:59.000001+05:30'),
                ])
                ->add(['b' => "\xFF\xFE\x00raw"])
                ->addLines(
                    (new Codec)->encode(['r' => "caf\xE9", 'j' => ['x' => "\xFF", 'y' => ["\xFE" => 1]]]),
                    self::shortenedFloats(),
                )->bytes,
            'trailing-space.log' => SegmentBuilder::ofWriter()
                ->add(['n' => 10])
                ->add(['n' => 2])
                ->add(['n' => 3], ['n' => 44])
                ->addLines('["own",{"n":5}]')->bytes,
            'own-id.log' => SegmentBuilder::withHeader()
                ->addLines('["order-4711/a",{"n":1}]', '{"n":2}', '["é",{"b":{"b":"/w=="}}]')->bytes,
            'unicode.log' => SegmentBuilder::withHeader()->add([
                'größe' => 'Grüße, 世界 👋🏽', 'lines' => "a\nb\r\nc\td", 'nul' => "a\0b", 'control' => "\x01\x1F\x7F",
                'separators' => "\u{2028}\u{2029}",
                'quotes' => "\"'\\/", 'last' => "\u{10FFFF}", 'looks' => '{"j":"no tag"}', "col\numn" => 1,
            ])->bytes,
        ];
    }

    private static function shortenedFloats(): string
    {
        $before = ini_set('serialize_precision', '5');
        $line = (new Codec)->encode(['third' => 1 / 3, 'one' => 1.0, 'large' => PHP_FLOAT_MAX]);
        ini_set('serialize_precision', (string) $before);

        return $line;
    }

    /** @return array<string, string> */
    private static function torn(): array
    {
        $files = [];
        $row = ['n' => 3, 'text' => str_repeat('torn ', 20)];

        foreach (self::CUTS as $where => $bytes) {
            $files["torn-tail-{$where}.log"] = self::threeFrames()->addTorn($row, $bytes)->bytes;
            $files["torn-middle-{$where}.log"] = self::threeFrames()->addTorn($row, $bytes)->add(['n' => 4])->bytes;
        }

        $files['torn-header-frame.log'] = substr(self::threeFrames()->bytes, 0, 50);

        return $files;
    }

    private static function threeFrames(bool $even = false): SegmentBuilder
    {
        return SegmentBuilder::withHeader(even: $even)
            ->add(['n' => 1])
            ->add(['n' => 2, 'text' => 'second'], ['n' => 2.5]);
    }

    /** @return array<string, string> */
    private static function damaged(): array
    {
        $good = self::threeFrames()->add(['n' => 3, 'text' => 'third'])->add(['n' => 4]);
        $second = $good->offset(2);
        $files = [];

        // Byte in the frame and bit in the byte; 0 is the lowest.
        foreach ([
            'magic' => [1, 0],
            'type' => [4, 1],
            'flags' => [5, 0],
            'count' => [7, 0],
            'own-offset' => [19, 2],
            'time' => [27, 7],
            'payload' => [35, 3],
        ] as $where => [$byte, $bit]) {
            $files["flipped-{$where}.log"] = self::flip($good->bytes, $second + $byte, $bit);
        }

        $checksum = $good->frames[2]->end - 1;
        $other = SegmentBuilder::withHeader()
            ->add(['elsewhere' => str_repeat('x', 40)])
            ->add(['n' => 99, 'text' => 'spliced']);
        $spliced = substr($other->bytes, $other->offset(2), $other->frames[2]->end - $other->offset(2));

        return [
            ...$files,
            'flipped-checksum.log' => self::flip($good->bytes, $checksum, 0),
            'length-longer.log' => self::flip($good->bytes, $second + 11, 7),
            'length-shorter.log' => self::flip($good->bytes, $second + 11, 5),
            'length-above-limit.log' => self::flip($good->bytes, $second + 8, 7),
            'length-of-last-frame.log' => self::flip($good->bytes, $good->offset(4) + 10, 0),
            'length-and-checksum.log' => self::flip(self::flip($good->bytes, $second + 11, 7), $checksum, 0),
            'header-frame-damaged.log' => self::flip($good->bytes, 40, 0),
            'header-frame-length.log' => self::flip($good->bytes, 11, 6),
            'zeroed-sector.log' => self::sectorZeroed(),
            'spliced-frame.log' => substr_replace($good->bytes, $spliced, $second, 0),
            'damaged-behind-torn.log' => self::damagedBehindTorn(0, 3),
            'length-behind-torn.log' => self::damagedBehindTorn(8, 7),
            'length-before-torn.log' => self::damagedBeforeTorn(),
            'noise-behind.log' => $good->bytes.str_repeat(Frame::MAGIC, 9).'noise',
        ];
    }

    private static function sectorZeroed(): string
    {
        $segment = SegmentBuilder::withHeader();

        foreach (range(1, 20) as $n) {
            $segment->add(['n' => $n, 'text' => 'some text to fill the frame']);
        }

        return substr_replace($segment->bytes, str_repeat("\0", 512), 1024, 512);
    }

    private static function damagedBehindTorn(int $byte, int $bit): string
    {
        $segment = self::threeFrames()
            ->addTorn(['text' => str_repeat('long ', 2000)], 100)
            ->add(['n' => 3])
            ->add(['n' => 4]);

        return self::flip($segment->bytes, $segment->offset(3) + $byte, $bit);
    }

    /** The length becomes larger by the checksum, which is such that a payload could hold it. */
    private static function damagedBeforeTorn(): string
    {
        $segment = SegmentBuilder::ofWriter()
            ->add(['n' => 1])
            ->add(['n' => 2, 'text' => 'whole 4'])
            ->addTorn(['n' => 3], 3);

        return self::flip($segment->bytes, $segment->offset(2) + 11, 2);
    }

    /** @return array<string, string> */
    private static function sealed(): array
    {
        $row = ['n' => 3, 'text' => str_repeat('torn ', 20)];
        $files = [];

        foreach (array_diff_key(self::CUTS, ['after-header' => 0]) as $where => $bytes) {
            $files["sealed-torn-tail-{$where}.log"] = self::threeFrames(true)->addTorn($row, $bytes)->seal()->bytes;
            $files["sealed-torn-middle-{$where}.log"] = self::threeFrames(true)
                ->addTorn($row, $bytes)
                ->seal()
                ->add(['n' => 4])->bytes;
        }

        $whole = self::threeFrames(true);
        $tail = self::threeFrames(true)->seal();
        $middle = self::threeFrames(true)->seal()->add(['n' => 3])->add(['n' => 4])->seal();

        return [
            ...$files,
            'sealed-17-zeros.log' => $tail->bytes,
            'sealed-16-zeros.log' => self::threeFrames()->seal()->bytes,
            'sealed-middle.log' => $middle->bytes,
            'sealed-behind-header.log' => SegmentBuilder::ofWriter()->seal()->bytes,
            'sealed-torn-header-frame.log' => substr($whole->bytes, 0, 50).str_repeat("\0", 17),
            'sealed-two-torn.log' => self::threeFrames(true)->addTorn($row, 60)->addTorn($row, 22)->seal()->bytes,
            'sealed-twice-torn-between.log' => self::threeFrames(true)->seal()->addTorn($row, 10)->seal()->bytes,
            'sealed-length.log' => self::flip($tail->bytes, $tail->offset(2) + 10, 0),
            'sealed-length-in-middle.log' => self::flip($middle->bytes, $middle->offset(2) + 11, 4),
            'sealed-flipped-payload.log' => self::flip($tail->bytes, $tail->offset(2) + 35, 3),
            'sealed-flipped-seal.log' => self::flip($tail->bytes, strlen($tail->bytes) - 5, 3),
            'sealed-zeroed-checksum.log' => substr_replace($tail->bytes, str_repeat("\0", 4), -21, 4),
            'sealed-zeroed-end.log' => substr_replace($tail->bytes, str_repeat("\0", 20), -37, 20),
        ];
    }

    /** @return array<string, string> zeros that are no seal: not enough, too many, or before an even offset */
    private static function zeros(): array
    {
        $whole = self::threeFrames(true);
        $row = ['n' => 3, 'text' => str_repeat('torn ', 20)];
        $files = [];

        foreach ([15, 16, 18, 19, 33] as $zeros) {
            $files["zeros-{$zeros}.log"] = $whole->bytes.str_repeat("\0", $zeros);
        }

        return [
            ...$files,
            'zeros-16-in-middle.log' => substr_replace(
                self::threeFrames(true)->addTorn($row, 16)->add(['n' => 4])->bytes,
                str_repeat("\0", 16),
                strlen($whole->bytes),
                16,
            ),
            'zeros-15-behind-torn.log' => self::threeFrames(true)->addTorn($row, 60)->bytes.str_repeat("\0", 15),
            'zeros-19-behind-torn.log' => self::threeFrames(true)->addTorn($row, 60)->bytes.str_repeat("\0", 19),
            'zeros-3-behind-torn.log' => self::threeFrames(true)->addTorn($row, 24)->bytes.str_repeat("\0", 3),
            'zeros-15-behind-torn-header.log' => substr($whole->bytes, 0, 8).str_repeat("\0", 15),
            'zeros-over-16-last.log' => substr_replace($whole->bytes, str_repeat("\0", 16), -16, 16),
            'zeros-over-17-last.log' => substr_replace($whole->bytes, str_repeat("\0", 17), -17, 17),
        ];
    }

    /**
     * @return array<string, string> frames that were cut in their checksum, where what came
     *     behind has the missing bytes
     */
    private static function borrowed(): array
    {
        $files = [];

        foreach (Segments::strangeEnds() as $name => $end) {
            $cut = static fn (): SegmentBuilder => self::threeFrames(true)->addCutBefore($end);

            if ($end[0] === "\0") {
                $files["borrowed-{$name}.log"] = $cut()->seal()->bytes;
                $files["borrowed-{$name}-in-middle.log"] = $cut()->seal()->add(['n' => 4])->seal()->bytes;
            } else {
                $files["borrowed-{$name}.log"] = $cut()->add(['n' => 4])->bytes;
            }

            $whole = static fn (): SegmentBuilder => self::threeFrames(true)->addEndingWith($end);
            $files["own-{$name}.log"] = $whole()->add(['n' => 4])->bytes;
            $files["own-{$name}-sealed.log"] = $whole()->seal()->bytes;
        }

        return $files;
    }

    /** @return array<string, string> */
    private static function states(): array
    {
        $path = sys_get_temp_dir().'/headroom-golden-'.bin2hex(random_bytes(8));
        $file = new StateFile($path, new Permissions);

        $file->write(new StateRecord(DeliveryState::fresh(), 1, 10, 10, 4711));
        $one = (string) file_get_contents($path);

        $file->write(new StateRecord(
            new DeliveryState(
                new Progress(new Position(1, 200, 3), 3, 1),
                new Intent(new Position(2, 0, 0), 'database:0123456789abcdef'),
            ),
            sealed: 2, accepted: 25, lastCount: 15, lastInode: 4712,
        ));
        $two = (string) file_get_contents($path);
        $file->write(new StateRecord(
            new DeliveryState(
                new Progress(new Position(3, 200, 0), 30, 4),
                retry: new RetryState(5, 1_700_000_000_000_000, 1_700_000_016_000_000, 'the server is away'),
                refusedInRow: 2,
            ),
            sealed: 4,
            accepted: 40,
            lastCount: 3,
            lastInode: 4713,
            retriedLetters: 3,
            retrySegment: 4,
            flushedAt: 1_700_000_000_000_000,
            marks: [
                new ThroughputSample(1_699_999_940_000_000, 20, 11),
                new ThroughputSample(1_700_000_000_000_000, 40, 30),
            ],
        ));
        $three = (string) file_get_contents($path);
        $file->write(new StateRecord(
            new DeliveryState(
                new Progress(new Position(3, 200, 0), 30, 4),
                new Intent(new Position(3, 300, 0), 'call:0123456789abcdef', new Position(3, 200, 0)),
                new RetryState(5, 1_700_000_000_000_000, 1_700_003_600_000_000, 'come back in an hour', 3600),
                tokens: new RateWindow([[4_711_000_000, 7], [4_715_000_000, 3]]),
                tried: new Attempts(new Position(3, 200, 0), 4),
            ),
            sealed: 4, accepted: 40,
        ));
        $four = (string) file_get_contents($path);
        unlink($path);

        return [
            'one-record.state' => $one,
            'two-records.state' => $two,
            'in-trouble.state' => $three,
            'one-by-one.state' => $four,
            // Generation 2 lies in the first block: half of it is what was there before.
            'newer-record-torn.state' => substr($two, 0, 100).substr($one, 100),
            'older-record-damaged.state' => self::flip($two, 4096 + 30, 1),
            'both-damaged.state' => self::flip(self::flip($two, 4096 + 30, 1), 30, 1),
            'cut-short.state' => substr($two, 0, 5000),
        ];
    }

    /** @return array<string, string> a whole bucket */
    private static function bucket(): array
    {
        $path = 'disk/buckets/'.SegmentBuilder::BUCKET;

        return [
            'disk/node' => SegmentBuilder::NODE,
            "{$path}/completed/00000000000000000001.seg" => SegmentBuilder::withHeader()
                ->add(['n' => 1], ['n' => 2])->bytes,
            "{$path}/sealed/00000000000000000002.seg" => self::threeFrames(true)
                ->addTorn(['n' => 9], 20)
                ->addLines('["own",{"n":3}]')
                ->seal()->bytes,
            "{$path}/sealed/00000000000000000010.seg" => self::flip(self::threeFrames(true)->seal()->bytes, 40, 0),
            "{$path}/sealed/notes.txt" => 'Not the buffer\'s.',
            "{$path}/active/u1000-0000.log" => SegmentBuilder::ofWriter()->add(['n' => 11])->bytes,
            "{$path}/state" => self::states()['two-records.state'],
        ];
    }

    private static function flip(string $bytes, int $at, int $bit): string
    {
        $bytes[$at] = $bytes[$at] ^ chr(1 << $bit);

        return $bytes;
    }
}
