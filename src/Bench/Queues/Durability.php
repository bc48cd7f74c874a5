<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues;

/**
 * The jobs that survive a power failure. Drivers that differ in this do different work.
 *
 * @internal
 */
enum Durability: string
{
    case EachJob = 'each job';
    case Seconds = 'all but seconds';
    case None = 'nothing';
    case Unknown = 'unknown';

    public function words(): string
    {
        return match ($this) {
            self::EachJob => 'on disk when it is queued',
            self::Seconds => 'on disk within seconds',
            self::None => 'in memory',
            self::Unknown => 'not known',
        };
    }
}
