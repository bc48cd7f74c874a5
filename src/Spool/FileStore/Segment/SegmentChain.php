<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Segment;

use Headroom\Core\Position;
use Headroom\Sink\Progress;
use Headroom\Spool\FileStore\BufferFile;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\Store\Lineage;
use Headroom\Support\RegularFile;

use function fclose;
use function hash;
use function hash_final;
use function hash_init;
use function hash_update_stream;

/**
 * Computes a checksum of the log up to the end of a segment. The checksum of each segment includes that of the one
 * before it. When two copies of a log have diverged, the same position holds different events in each, and the
 * checksums differ.
 *
 * @internal
 */
final readonly class SegmentChain implements Lineage
{
    private const ALGORITHM = 'xxh128';

    public function __construct(private Layout $layout) {}

    /**
     * A segment never changes, so each process computes the same checksum. A missing segment counts as the text 'gone'.
     */
    public function checksum(Progress $from, Position $to): string
    {
        $checksum = $from->checksum;

        if ($from->position->segment >= $to->segment) {
            return $checksum;
        }

        $segments = new SegmentPaths($this->layout);

        for ($sequence = $from->position->segment + 1; $sequence <= $to->segment; $sequence++) {
            $checksum = hash(self::ALGORITHM, $checksum.self::content($segments->find($sequence)));
        }

        return $checksum;
    }

    public function isWhole(Position $from, Position $to): bool
    {
        $segments = new SegmentPaths($this->layout);

        for ($sequence = $from->segment + 1; $sequence <= $to->segment; $sequence++) {
            if ($segments->find($sequence) === null) {
                return false;
            }
        }

        return true;
    }

    private static function content(?string $path): string
    {
        $reason = '';
        $file = $path === null ? false : RegularFile::open($path, 're', $reason);

        if ($file === false) {
            return $path === null ? 'gone' : throw BufferFile::refusal('read segment', $path, $reason);
        }

        $hash = hash_init(self::ALGORITHM);
        hash_update_stream($hash, $file);
        fclose($file);

        return hash_final($hash);
    }
}
