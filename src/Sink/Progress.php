<?php

declare(strict_types=1);

namespace Headroom\Sink;

use Headroom\Core\Position;

/**
 * The position up to which a log is delivered, and the number of events up to there.
 */
final readonly class Progress
{
    /**
     * @param int<0, max> $delivered
     * @param int<0, max> $dead number of events that became dead letters
     * @param string $checksum of the log's content up to the position, at most 32 characters; "" if it is not known
     */
    public function __construct(
        public Position $position,
        public int $delivered = 0,
        public int $dead = 0,
        public string $checksum = '',
    ) {}

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
        return new self(
            $delivery->to,
            $this->delivered + count($delivery->batch),
            $this->dead + $delivery->dead,
            $delivery->checksum,
        );
    }
}
