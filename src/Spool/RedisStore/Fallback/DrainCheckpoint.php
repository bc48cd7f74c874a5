<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Fallback;

use Headroom\Core\Position;

/**
 * A bucket's stream at this machine's last check.
 *
 * @internal
 */
final readonly class DrainCheckpoint
{
    /**
     * @param string $node the stream's id
     * @param int $total number of events ever added to it
     * @param int<0, max> $open number of these that were neither delivered nor dead nor missing
     * @param int $at seconds since the Unix epoch
     * @param string $last id of its last entry; empty when it had none, or when an earlier version wrote the checkpoint
     * @param string $server replication id of the server that a writer used; empty for an owner's checkpoint, because
     *     an owner saves it only when every loss is reported
     * @param string $drained position up to which this machine's disk was drained into it; empty when it was not
     */
    public function __construct(
        public string $node,
        public int $total,
        public int $open,
        public int $at,
        public string $last = '',
        public string $server = '',
        public string $drained = '',
    ) {}

    public function isSame(self $other): bool
    {
        return [$this->node, $this->total, $this->open, $this->last, $this->drained]
            === [$other->node, $other->total, $other->open, $other->last, $other->drained];
    }

    /** The position up to which events of this machine's disk were certainly delivered from that stream. */
    public function deliveredUpTo(string $node): Position
    {
        return $this->open === 0 && $this->node === $node && $this->drained !== ''
            ? Position::fromString($this->drained)
            : Position::start();
    }

    public function time(): string
    {
        return gmdate('Y-m-d H:i:s', $this->at).' UTC';
    }
}
