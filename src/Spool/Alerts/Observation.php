<?php

declare(strict_types=1);

namespace Headroom\Spool\Alerts;

/**
 * The alerts that this machine reports, at one moment.
 *
 * @internal
 */
final readonly class Observation
{
    /**
     * @param array<string, Alert> $alerts by key
     * @param array<string, LetterCount> $letters of the alerts about dead letters, by key
     * @param list<string> $elsewhere keys of alerts that another node reports
     * @param bool $knowsMachine false when the status could not be read
     * @param list<string> $unknownBuckets buckets whose numbers could not be read
     */
    public function __construct(
        public array $alerts = [],
        public array $letters = [],
        public array $elsewhere = [],
        public bool $knowsMachine = true,
        public bool $knowsNodes = true,
        public array $unknownBuckets = [],
    ) {}

    /** Whether an alert of this kind would be seen if it existed. */
    public function knows(ReportedCause $cause): bool
    {
        return match (true) {
            $cause->isOfNodes() => $this->knowsNodes,
            $cause->bucket === null => $this->knowsMachine || $cause->cause === AlertCause::BucketStopped,
            default => $this->knowsMachine && ! in_array($cause->bucket, $this->unknownBuckets, true),
        };
    }
}
