<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Headroom\Spool\FileStore\Segment\CorruptRange;
use Headroom\Spool\FileStore\Segment\Frame;
use Headroom\Spool\FileStore\Segment\SegmentReader;
use RuntimeException;

/**
 * The turns of scan.php.
 */
final readonly class Scans
{
    private const MB = 1_048_576;

    /** Bytes of a frame of these events; the number of segments is then cut to size. */
    private const BYTES_PER_EVENT = 330;

    public function __construct(private string $directory) {}

    /**
     * @param list<int> $sizes megabytes, rising; the first segments of the largest are read
     * @return array{whole: array<int, list<float>>, damaged: array<int, list<float>>, damaged_frames: int}
     */
    public function run(int $rounds, array $sizes): array
    {
        $sealed = SealedEvents::make(intdiv(max($sizes) * self::MB, self::BYTES_PER_EVENT));

        try {
            $whole = $sealed->segments();
            $damaged = $this->damage($whole);
            $figures = [
                'whole' => array_fill_keys($sizes, []),
                'damaged' => array_fill_keys($sizes, []),
                'damaged_frames' => array_sum($damaged),
            ];

            for ($round = 0; $round <= $rounds; $round++) {
                foreach ($sizes as $size) {
                    foreach (['whole' => array_fill_keys($whole, 0), 'damaged' => $damaged] as $kind => $segments) {
                        $perSecond = $this->scan($segments, $size * self::MB);
                        $round === 0 || $figures[$kind][$size][] = $perSecond;
                    }
                }
            }

            return $figures;
        } finally {
            $sealed->remove();
        }
    }

    /** @param array<string, int> $segments with how many gaps each must have */
    private function scan(array $segments, int $wanted): float
    {
        [$bytes, $nanos] = [0, 0];

        foreach ($segments as $path => $expected) {
            if ($bytes >= $wanted) {
                break;
            }

            [$gaps, $frames] = [0, 0];
            $file = fopen($path, 'r') ?: throw new RuntimeException("{$path} cannot be read.");
            $start = hrtime(true);
            $scanner = new SegmentReader($file);

            foreach ($scanner->read() as $item) {
                $item instanceof CorruptRange ? $gaps++ : $frames++;
            }

            $nanos += hrtime(true) - $start;
            $bytes += $scanner->size;
            fclose($file);

            if ($gaps !== $expected || $frames === 0) {
                throw new RuntimeException("{$path} has {$gaps} gaps in place of {$expected}.");
            }
        }

        // The last segment is shorter than the others, so this is a little more or less.
        return $bytes / self::MB / ($nanos / 1e9);
    }

    /**
     * Copies with a bit flipped in the payload of every hundredth frame of events.
     *
     * @param list<string> $segments
     * @return array<string, int> flipped frames by path
     */
    private function damage(array $segments): array
    {
        $flipped = [];

        foreach ($segments as $segment) {
            $copy = "{$this->directory}/".basename($segment);
            copy($segment, $copy);
            [$number, $flips] = [0, 0];
            $source = fopen($segment, 'r');
            $target = fopen($copy, 'r+');

            foreach ((new SegmentReader($source))->read() as $item) {
                if ($item instanceof Frame && $item->count > 0 && ++$number % 100 === 50) {
                    fseek($target, $item->offset + Frame::HEADER_BYTES + 20);
                    fwrite($target, $item->payload[20] ^ "\x01");
                    $flips++;
                }
            }

            fclose($source);
            fclose($target);
            $flipped[$copy] = $flips;
        }

        return $flipped;
    }
}
