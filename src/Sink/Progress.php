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
     * @param string $checksum of what the log holds up to there, at most 32 characters; "" where it is not known
     */
    public function __construct(public Position $position, public int $delivered = 0, public int $dead = 0, public string $checksum = '') {}

    public static function none(): self
    {
        return new self(Position::start());
    }

    public function equals(self $other): bool
    {
        return $this->position->equals($other->position)
            && [$this->delivered, $this->dead, $this->checksum] === [$other->delivered, $other->dead, $other->checksum];
    }

    public function advancedBy(Delivery $delivery): self
    {
        return new self($delivery->to, $this->delivered + count($delivery->batch), $this->dead + $delivery->dead, $delivery->checksum);
    }
}
