<?php

declare(strict_types=1);

namespace Headroom\Spool\Alerts;

/**
 * What a channel has to be told now.
 *
 * @internal
 */
final readonly class Decision
{
    /**
     * @param list<Alert> $raised new problems
     * @param list<ResolvedAlert> $resolved if none of the reported problems is left but old dead letters
     * @param list<Alert> $remaining reported problems that last
     * @param ChannelRecord $untold the record if the channel takes no message
     * @param ChannelRecord $told the record once the channel has taken the message
     */
    public function __construct(
        public array $raised,
        public array $resolved,
        public array $remaining,
        public ChannelRecord $untold,
        public ChannelRecord $told,
    ) {}

    public function isSilent(): bool
    {
        return $this->raised === [] && $this->resolved === [];
    }
}
