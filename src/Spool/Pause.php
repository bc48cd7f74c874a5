<?php

declare(strict_types=1);

namespace Headroom\Spool;

use DateTimeImmutable;
use DateTimeInterface;

/**
 * A bucket that is not delivered until it is resumed. It takes events all the while.
 */
final readonly class Pause
{
    /** @param string $by the user of the system who asked for it, such as "deploy (uid 1000)" */
    public function __construct(public DateTimeImmutable $since, public string $by) {}

    public function words(): string
    {
        return "paused since {$this->since->format('Y-m-d H:i:s')} UTC by {$this->by}";
    }

    /** @return array{since: string, by: string} */
    public function toArray(): array
    {
        return ['since' => $this->since->format(DateTimeInterface::ATOM), 'by' => $this->by];
    }
}
