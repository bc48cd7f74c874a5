<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Results;

use Headroom\Bench\Queues\Durability;

/**
 * What was found of all variants of a scenario.
 *
 * @internal
 */
final readonly class Findings
{
    /** @param non-empty-list<Finding> $all in the order in which they were named */
    public function __construct(public array $all) {}

    /** Whether those that are compared keep jobs equally well. */
    public function isAlikeDurable(): bool
    {
        return count(array_unique(array_map(
            static fn (Finding $finding): string => $finding->variant->facts->durability->value,
            $this->all,
        ))) === 1;
    }

    /**
     * Whether each was measured, and each job ran once. Where the fates of jobs are what is asked for,
     * none of them is wrong.
     */
    public function isValid(bool $isAboutFates = false): bool
    {
        return array_filter(
            $this->all,
            static fn (Finding $finding): bool => ! $finding->isMeasured()
                || (! $isAboutFates && ($finding->invalid() !== [] || $finding->valid() === [])),
        ) === [];
    }

    /** @return array<string, non-empty-list<Finding>> by what is kept of jobs; in a group the fastest first */
    public function byDurability(): array
    {
        $groups = [];

        foreach (Durability::cases() as $durability) {
            $group = array_values(array_filter(
                $this->all,
                static fn (Finding $finding): bool => $finding->variant->facts->durability === $durability,
            ));
            // Of the rows of one driver the order says more than their figures.
            $isOneDriver = count(array_unique(array_map(
                static fn (Finding $finding): string => $finding->variant->driver(),
                $group,
            ))) < count($group);
            $isOneDriver
                ? null
                : usort(
                    $group,
                    static fn (Finding $a, Finding $b): int => ($b->rates()?->median() ?? 0.0)
                        <=> ($a->rates()?->median() ?? 0.0),
                );

            if ($group !== []) {
                $groups[$durability->value] = $group;
            }
        }

        return $groups;
    }

    /** @return list<array<string, mixed>> */
    public function toArray(): array
    {
        return array_map(static fn (Finding $finding): array => $finding->toArray(), $this->all);
    }
}
