<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Segment;

use WeakReference;

/**
 * All active segments that this process keeps open, across buffers and buckets. A writer can check the age of its
 * segment only at its own next append; with this list, the append of any writer closes the segments of all that are too
 * old.
 *
 * @internal
 */
final class OpenSegments
{
    /** Each kept segment takes a file descriptor, and no sealer can seal it. */
    private const MAX_OPEN = 16;

    /**
     * @var array<int, array{WeakReference<SegmentWriter>, int}> by object id, the oldest first: the writer, and since
     *     when it keeps a segment
     */
    private array $writers = [];

    public function add(SegmentWriter $writer, int $since): void
    {
        $this->remove($writer);
        $this->writers[spl_object_id($writer)] = [WeakReference::create($writer), $since];

        if (count($this->writers) > self::MAX_OPEN) {
            $this->closeOldest();
        }
    }

    public function remove(SegmentWriter $writer): void
    {
        unset($this->writers[spl_object_id($writer)]);
    }

    /**
     * @param int $now microseconds
     * @param int $limit microseconds after which a segment is closed, even if its writer still appends
     */
    public function closeExpired(int $now, int $limit): void
    {
        foreach ($this->writers as [, $since]) {
            // The oldest come first. A clock that was set back leaves times in the future; these segments are closed as
            // well.
            if ($now - $since < $limit && $now >= $since) {
                return;
            }

            $this->closeOldest();
        }
    }

    private function closeOldest(): void
    {
        $id = array_key_first($this->writers);

        if ($id !== null) {
            [$writer] = $this->writers[$id];
            unset($this->writers[$id]);
            $writer->get()?->closeKept();
        }
    }
}
