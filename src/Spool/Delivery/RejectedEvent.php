<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Headroom\Core\Position;
use Headroom\Sink\Delivery;

/**
 * An event that is not sent to the sink again.
 *
 * @internal
 */
final readonly class RejectedEvent
{
    /**
     * @param ?string $reason null when it has a dead letter already
     * @param bool $isNewRefusal the sink refused it for the first time, so the refusal may be the sink's fault
     * @param bool $isUnreadable it cannot be decoded, so the sink has not received it
     */
    public function __construct(
        public Position $from,
        public Position $position,
        public Position $end,
        public ?string $reason,
        public bool $isNewRefusal = false,
        public bool $isUnreadable = false,
    ) {}

    /**
     * @param Delivery $single of one event
     * @param mixed $reason as the sink gave it
     */
    public static function of(Delivery $single, mixed $reason): self
    {
        $record = $single->batch->record(0);
        $reason = FailureReason::ofDeath($reason);

        // Only a retried dead letter has an id of its own.
        return new self($single->from, $record->position, $single->to, $reason, isNewRefusal: $record->ownId === null);
    }
}
