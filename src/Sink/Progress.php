<?php

declare(strict_types=1);

namespace Headroom\Sink;

use Headroom\Core\Position;

/**
 * How far a log is delivered, and how many events that were.
 */
final readonly class Progress
{
    /**
     * @param int<0, max> $delivered
     * @param int<0, max> $dead set aside as undeliverable
     */
    public function __construct(public Position $position, public int $delivered = 0, public int $dead = 0) {}

    public static function none(): self
    {
        return new self(Position::start());
    }

    public function advancedBy(Delivery $delivery): self
    {
        return new self($delivery->to, $this->delivered + count($delivery->batch), $this->dead + $delivery->dead);
    }
}
