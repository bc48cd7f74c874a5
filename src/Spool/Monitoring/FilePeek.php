<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring;

use Generator;
use Headroom\Core\Clock;
use Headroom\Core\Position;
use Headroom\Sink\Progress;
use Headroom\Sink\Source;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\Segment\CorruptRange;
use Headroom\Spool\FileStore\Segment\Frame;
use Headroom\Spool\FileStore\Segment\SegmentInfo;
use Headroom\Spool\FileStore\Segment\SegmentReader;
use Headroom\Spool\FileStore\State\SnapshotReader;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\RegularFile;

/**
 * Shows the events that the next flush would deliver, in that order: sealed segments from the cursor on, then active
 * segments. Takes no lock and changes nothing.
 *
 * @internal
 */
final readonly class FilePeek implements EventViewer
{
    private SnapshotReader $snapshots;

    public function __construct(
        Layout $layout,
        Permissions $permissions,
        Clock $clock,
        private Codec $codec,
        private Source $source,
    ) {
        $this->snapshots = new SnapshotReader($layout, $permissions, $clock);
    }

    /**
     * @param callable(): ?Progress $ledger see SnapshotReader::take()
     * @return Generator<int, PeekedEvent>
     *
     * @throws UnableToFlush
     */
    public function events(callable $ledger): Generator
    {
        $snapshot = $this->snapshots->take($ledger);
        $from = $snapshot->progress()->position;

        foreach ($snapshot->unreadable as $path) {
            throw StorageUnavailable::notPermitted('read', $path, 'permission denied', Permissions::ownership($path));
        }

        foreach ([...$snapshot->segmentsFrom($from), ...$snapshot->activeSegments] as $file) {
            yield from $this->file($file, $file->sequence === $from->segment && ! $file->isActive() ? $from : null);
        }
    }

    /** @return Generator<int, PeekedEvent> */
    private function file(SegmentInfo $file, ?Position $from): Generator
    {
        $handle = $this->snapshots->open($file);

        if ($handle === null) {
            // A file that is gone was delivered and cleaned away. Another file may have its name by now, such as the
            // next active segment.
            $inode = RegularFile::inode($file->path);

            if ($inode === $file->inode || ($inode === null && RegularFile::exists($file->path))) {
                throw StorageUnavailable::notPermitted(
                    'read',
                    $file->path,
                    'permission denied',
                    Permissions::ownership($file->path),
                );
            }

            return;
        }

        foreach ((new SegmentReader($handle))->read($from->offset ?? 0) as $item) {
            if ($item->offset >= $file->size) {
                break;
            }

            if ($item instanceof Frame && $item->count > 0) {
                yield from $this->frame(
                    $item,
                    $file,
                    $from !== null && $from->offset === $item->offset ? $from->index : 0,
                );
            } elseif ($item instanceof CorruptRange && ! $item->torn) {
                yield new PeekedEvent(
                    $this->positionText($file, $item->offset, 0),
                    null,
                    ! $file->isActive(),
                    0,
                    [],
                    "{$item->bytes()} bytes are damaged here. A flush copies them to quarantine/ and continues"
                        .' after them.',
                );
            }
        }
    }

    /** @return Generator<int, PeekedEvent> */
    private function frame(Frame $frame, SegmentInfo $file, int $first): Generator
    {
        foreach (array_slice(explode("\n", $frame->payload), $first, preserve_keys: true) as $index => $line) {
            $place = $this->positionText($file, $frame->offset, $index);
            $id = $file->isActive()
                ? null
                : $this->source->idOf($this->position($file, $frame->offset, $index), $frame->acceptedAt);

            yield PeekedEvent::decoded($this->codec, $line, $place, $id, ! $file->isActive(), $frame->acceptedAt);
        }
    }

    /** @param int<0, max> $offset */
    private function positionText(SegmentInfo $file, int $offset, int $index): string
    {
        return $file->isActive()
            ? "{$file->name()}@{$offset}+{$index}"
            : $this->position($file, $offset, $index)->toString();
    }

    /** @param int<0, max> $offset */
    private function position(SegmentInfo $file, int $offset, int $index): Position
    {
        return new Position($file->sequence, $offset, max(0, min(65_535, $index)));
    }
}
