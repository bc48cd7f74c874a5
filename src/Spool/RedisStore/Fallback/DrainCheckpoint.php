<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Fallback;

use Headroom\Core\Position;

/**
 * A bucket's stream as this machine saw it last.
 *
 * @internal
 */
final readonly class DrainCheckpoint
{
    /**
     * @param string $node the stream's id
     * @param int $total events that had come into it
     * @param int<0, max> $open of these, neither delivered nor dead, nor missing
     * @param int $at seconds since the Unix epoch
     * @param string $last id of its last entry; "" where it had none, or an earlier version noted it
     * @param string $server the one that a writer used; "" where the owner saw it, who had found nothing wrong
     * @param string $drained how far this machine's disk had been brought into it; "" where it had not
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

    /** What of this machine's disk was delivered from that stream for certain. */
    public function settled(string $node): Position
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
