<?php

declare(strict_types=1);

namespace Headroom\Laravel\Doctor;

use Headroom\Core\Finding;
use Headroom\Core\HeadroomException;
use Headroom\Doctor\NotApplicable;
use Headroom\Spool\Health\Health;
use Headroom\Spool\Services\SpoolServices;
use Headroom\Spool\Worker\HeartbeatSender;

/**
 * The doctor's fact about the buffer of this application: the findings of spool:health.
 *
 * @internal
 */
final readonly class BufferFindings
{
    /** @param list<Finding> $findings */
    public function __construct(public array $findings) {}

    /** @throws NotApplicable */
    public static function of(SpoolServices $spool): self
    {
        return self::isUsed($spool)
            ? new self((new Health($spool))->findings())
            : throw NotApplicable::of('this application has buffered no event');
    }

    private static function isUsed(SpoolServices $spool): bool
    {
        try {
            return (new HeartbeatSender($spool))->hasCause();
        } catch (HeadroomException) {
            return true; // The health checks report what is wrong with the configuration.
        }
    }
}
