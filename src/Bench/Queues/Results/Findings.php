<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Results;

use Headroom\Bench\Queues\Durability;

/**
 * The results of all variants of a scenario.
 *
 * @internal
 */
final readonly class Findings
{
    /** @param non-empty-list<Finding> $all in the order of the command line */
    public function __construct(public array $all) {}

    /** Whether all variants keep jobs equally well. */
    public function isAlikeDurable(): bool
    {
        return count(array_unique(array_map(
            static fn (Finding $finding): string => $finding->variant->facts->durability->value,
            $this->all,
        ))) === 1;
    }

    /**
     * Whether each variant was measured and each job ran once. In a scenario about the fates of jobs, no fate is a
     * fault.
     */
    public function isValid(bool $isAboutFates = false): bool
    {
        return array_filter(
            $this->all,
            static fn (Finding $finding): bool => ! $finding->isMeasured()
                || (! $isAboutFates && ($finding->invalid() !== [] || $finding->valid() === [])),
        ) === [];
    }

    /** @return array<string, non-empty-list<Finding>> by durability; the fastest of a group first */
    public function byDurability(): array
    {
        $groups = [];

        foreach (Durability::cases() as $durability) {
            $group = array_values(array_filter(
                $this->all,
                static fn (Finding $finding): bool => $finding->variant->facts->durability === $durability,
            ));
            // The order of the rows of one driver means more than their figures.
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
