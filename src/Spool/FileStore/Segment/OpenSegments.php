<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Segment;

use WeakReference;

/**
 * All that this process keeps open, whichever buffer and bucket it belongs to. One bucket's writer sees the time pass only
 * when that bucket is written to again; the others see it for it.
 *
 * @internal
 */
final class OpenSegments
{
    /** Each is a descriptor and a slot that no sealer gets. */
    private const MOST = 16;

    /** @var array<int, array{WeakReference<SegmentWriter>, int}> by object id, the longest kept first: who keeps, and since when */
    private array $keepers = [];

    public function add(SegmentWriter $slots, int $since): void
    {
        $this->remove($slots);
        $this->keepers[spl_object_id($slots)] = [WeakReference::create($slots), $since];

        if (count($this->keepers) > self::MOST) {
            $this->giveBackFirst();
        }
    }

    public function remove(SegmentWriter $slots): void
    {
        unset($this->keepers[spl_object_id($slots)]);
    }

    /**
     * @param int $now microseconds
     * @param int $longest a slot that was kept for so long is given back, whether or not somebody still writes to it
     */
    public function giveBackOld(int $now, int $longest): void
    {
        foreach ($this->keepers as [, $since]) {
            // The longest kept come first; but a clock that was set back leaves some that seem to come from the future.
            if ($now - $since < $longest && $now >= $since) {
                return;
            }

            $this->giveBackFirst();
        }
    }

    private function giveBackFirst(): void
    {
        $id = array_key_first($this->keepers);

        if ($id !== null) {
            [$slots] = $this->keepers[$id];
            unset($this->keepers[$id]);
            $slots->get()?->giveBack();
        }
    }
}
