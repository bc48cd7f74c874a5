<?php

declare(strict_types=1);

namespace Headroom\Doctor;

/**
 * What a run of the checks found: first what was seen under load, then the worst.
 *
 * @internal
 */
final readonly class Report
{
    /** @var list<CheckResult> */
    public array $results;

    /** @param list<CheckResult> $results */
    public function __construct(array $results)
    {
        // The sort is stable: within a severity the order of the checks stays.
        usort($results, static fn (CheckResult $a, CheckResult $b): int => self::rank($a) <=> self::rank($b));
        $this->results = $results;
    }

    /** @return list<CheckResult> */
    public function problems(?Severity $from = null): array
    {
        return array_values(array_filter(
            $this->results,
            static fn (CheckResult $result): bool => $result->finding->status->isProblem()
                && ($from === null || $result->check->severity->isAtLeast($from)),
        ));
    }

    public function count(Status $status): int
    {
        return count(array_filter(
            $this->results,
            static fn (CheckResult $result): bool => $result->finding->status === $status,
        ));
    }

    /** @param list<string> $keys ids of checks, or keys of results */
    public function without(array $keys): self
    {
        return new self(array_values(array_filter(
            $this->results,
            static fn (CheckResult $result): bool => ! in_array($result->check->id, $keys, true)
                && ! in_array($result->key(), $keys, true),
        )));
    }

    /**
     * @param array<string, string> $sentences what was seen under load that a check explains, by its id
     * @param string $command that has seen it, as a user types it
     */
    public function supportedBy(array $sentences, string $command): self
    {
        return new self(array_map(
            static fn (CheckResult $result): CheckResult => isset($sentences[$result->check->id])
                    && $result->finding->status->isProblem()
                ? new CheckResult(
                    $result->check,
                    $result->finding->seenUnderLoad($sentences[$result->check->id], $command),
                )
                : $result,
            $this->results,
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
            'findings' => array_map(static fn (CheckResult $result): array => $result->toArray(), $this->results),
        ];
    }

    /** @return array{int, int, int} */
    private static function rank(CheckResult $result): array
    {
        $status = match ($result->finding->status) {
            Status::Fail, Status::Warn => 0,
            Status::Crashed => 1,
            Status::Unknown => 2,
            Status::Skipped => 3,
            Status::Pass => 4,
        };

        return [
            $status,
            $result->finding->confidence === Confidence::UnderLoad ? 0 : 1,
            (int) array_search($result->check->severity, Severity::cases(), true),
        ];
    }
}
