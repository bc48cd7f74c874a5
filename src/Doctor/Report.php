<?php

declare(strict_types=1);

namespace Headroom\Doctor;

/**
 * What an examination found: first what was seen under load, then the worst.
 *
 * @internal
 */
final readonly class Report
{
    /** @var list<CheckResult> */
    public array $verdicts;

    /** @param list<CheckResult> $verdicts */
    public function __construct(array $verdicts)
    {
        // The sort is stable: within a severity the order of the checks stays.
        usort($verdicts, static fn (CheckResult $a, CheckResult $b): int => self::rank($a) <=> self::rank($b));
        $this->verdicts = $verdicts;
    }

    /** @return list<CheckResult> */
    public function problems(?Severity $from = null): array
    {
        return array_values(array_filter(
            $this->verdicts,
            static fn (CheckResult $verdict): bool => $verdict->finding->status->isProblem()
                && ($from === null || $verdict->rule->severity->isAtLeast($from)),
        ));
    }

    public function count(Status $status): int
    {
        return count(array_filter(
            $this->verdicts,
            static fn (CheckResult $verdict): bool => $verdict->finding->status === $status,
        ));
    }

    /** @param list<string> $keys ids of rules, or keys of verdicts */
    public function without(array $keys): self
    {
        return new self(array_values(array_filter(
            $this->verdicts,
            static fn (CheckResult $verdict): bool => ! in_array($verdict->rule->id, $keys, true)
                && ! in_array($verdict->key(), $keys, true),
        )));
    }

    /** @param array<string, string> $sentences what was seen under load that a rule explains, by the rule's id */
    public function supportedBy(array $sentences): self
    {
        return new self(array_map(
            static fn (CheckResult $verdict): CheckResult => isset($sentences[$verdict->rule->id])
                    && $verdict->finding->status->isProblem()
                ? new CheckResult($verdict->rule, $verdict->finding->seenUnderLoad($sentences[$verdict->rule->id]))
                : $verdict,
            $this->verdicts,
        ));
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        $counts = [];

        foreach (Status::cases() as $status) {
            $counts[$status->value] = $this->count($status);
        }

        return [
            'counts' => $counts,
            'findings' => array_map(static fn (CheckResult $verdict): array => $verdict->toArray(), $this->verdicts),
        ];
    }

    /** @return array{int, int, int} */
    private static function rank(CheckResult $verdict): array
    {
        $status = match ($verdict->finding->status) {
            Status::Fail, Status::Warn => 0,
            Status::Crashed => 1,
            Status::Unknown => 2,
            Status::Skipped => 3,
            Status::Pass => 4,
        };

        return [
            $status,
            $verdict->finding->confidence === Confidence::UnderLoad ? 0 : 1,
            (int) array_search($verdict->rule->severity, Severity::cases(), true),
        ];
    }
}
