<?php

declare(strict_types=1);

namespace Headroom\Doctor\Runner;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Status;

/**
 * The facts that a check asked for and that could not be read, in whole or in part. While there are any, the check
 * cannot report that all is well.
 *
 * @internal
 */
final readonly class UnknownFacts
{
    /** @param array<class-string, array<string, FactUnavailable>> $facts the parts of each, by name; '' is the whole */
    public function __construct(private array $facts) {}

    /**
     * A pass or a skip with a subject becomes unknown, unless it is about a part that was read. One without a subject
     * is left out while any finding is unknown. A fault that was seen stays.
     *
     * @param list<Finding> $findings
     * @return list<Finding>
     */
    public function appliedTo(array $findings): array
    {
        $messages = array_map(static fn (Finding $finding): string => $finding->message, self::unknown($findings));
        $judged = array_map($this->judged(...), $findings);

        foreach ($this->facts as $parts) {
            foreach ($parts as $part => $why) {
                if (! in_array($why->getMessage(), $messages, true)) {
                    $messages[] = $why->getMessage();
                    $judged[] = Finding::unavailable($why)->about($part);
                }
            }
        }

        // A statement about all parts is wrong while one part is unknown.
        return self::unknown($judged) === []
            ? $judged
            : array_values(
                array_filter(
                    $judged,
                    static fn (Finding $one): bool => $one->subject !== '' || ! $one->status->isWell(),
                ),
            );
    }

    private function judged(Finding $finding): Finding
    {
        foreach ($finding->status->isWell() && $finding->subject !== '' ? $this->facts : [] as $fact => $parts) {
            foreach ($finding->isAboutPartOf($fact) ? [] : $parts as $why) {
                return Finding::unavailable($why)->about($finding->subject);
            }
        }

        return $finding;
    }

    /**
     * @param list<Finding> $findings
     * @return list<Finding>
     */
    private static function unknown(array $findings): array
    {
        return array_values(
            array_filter($findings, static fn (Finding $one): bool => $one->status === Status::Unknown),
        );
    }
}
