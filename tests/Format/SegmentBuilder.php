<?php

declare(strict_types=1);

namespace Headroom\Tests\Format;

use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\FileStore\Segment\Frame;

/**
 * Segments with a clock that advances 1,000,001 microseconds per frame.
 */
final class SegmentBuilder
{
    public const NODE = '0123456789abcdef0123456789abcdef';

    public const BUCKET = 'golden';

    public const EPOCH = 1_700_000_000_000_000;

    public string $bytes = '';

    /** @var list<Frame> the header frame, too */
    public array $frames = [];

    private int $now = self::EPOCH;

    /** @param bool $even whether a space makes each frame of events end at an even offset */
    public function __construct(private readonly Codec $codec = new Codec, private readonly bool $even = false) {}

    /** As the package's writer makes them. */
    public static function ofWriter(Codec $codec = new Codec): self
    {
        return self::withHeader($codec, true);
    }

    /** Without the space, which a reader must not ask for. */
    public static function withHeader(Codec $codec = new Codec, bool $even = false): self
    {
        $builder = new self($codec, $even);
        $payload = json_encode(
            ['format' => 1, 'node' => self::NODE, 'bucket' => self::BUCKET, 'uid' => 1000],
            JSON_THROW_ON_ERROR,
        );
        $builder->append(Frame::header($payload, $builder->now), Frame::TYPE_HEADER, 0, $payload);

        return $builder;
    }

    /** @param non-empty-array<string, mixed> ...$rows one frame */
    public function add(array ...$rows): self
    {
        return $this->addLines(...array_values(array_map($this->codec->encode(...), $rows)));
    }

    public function addLines(string ...$lines): self
    {
        $this->now += 1_000_001;
        $payload = $this->padded(implode("\n", $lines));
        $count = max(1, min(65535, count($lines)));
        $this->append(
            Frame::events($payload, $count, strlen($this->bytes), $this->now),
            Frame::TYPE_EVENTS,
            $count,
            $payload,
        );

        return $this;
    }

    /**
     * Adds the torn frame of a writer that was killed.
     *
     * @param non-empty-array<string, mixed> $row
     * @param int $bytes that still came; negative: so many are missing
     */
    public function addTorn(array $row, int $bytes): self
    {
        $this->bytes .= substr(
            Frame::events($this->padded($this->codec->encode($row)), 1, strlen($this->bytes), $this->now),
            0,
            $bytes,
        );

        return $this;
    }

    /** A whole frame whose checksum ends with these bytes. */
    public function addEndingWith(string $end): self
    {
        $this->now += 1_000_001;
        $frame = $this->frameEndingWith($end);
        $this->append($frame, Frame::TYPE_EVENTS, 1, substr($frame, Frame::HEADER_BYTES, -Frame::CHECKSUM_BYTES));

        return $this;
    }

    /** The same, but its writer was killed before these bytes. */
    public function addCutBefore(string $end): self
    {
        $this->bytes .= substr($this->frameEndingWith($end), 0, -strlen($end));

        return $this;
    }

    private function frameEndingWith(string $end): string
    {
        return Collision::frame(
            fn (string $text): string
                => Frame::events($this->padded("{\"cut\":\"{$text}\"}"), 1, strlen($this->bytes), $this->now),
            $end,
        );
    }

    /** Adds the bytes that a sealer puts behind the last byte. If it is killed then, more frames may follow. */
    public function seal(): self
    {
        $this->bytes .= str_repeat("\0", strlen($this->bytes) % 2 === 0 ? 17 : 16);

        return $this;
    }

    /** @param int $number of the frame, the header frame being 0 */
    public function offset(int $number): int
    {
        return $this->frames[$number]->offset;
    }

    private function padded(string $payload): string
    {
        return $this->even && (strlen($this->bytes) + Frame::OVERHEAD_BYTES + strlen($payload)) % 2 === 1
            ? "{$payload} "
            : $payload;
    }

    /** @param int<0, 65535> $count */
    private function append(string $frame, int $type, int $count, string $payload): void
    {
        $offset = strlen($this->bytes);
        $this->bytes .= $frame;
        $this->frames[] = new Frame($offset, strlen($this->bytes), $type, $count, $this->now, $payload);
    }
}
