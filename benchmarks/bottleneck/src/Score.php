<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck;

/**
 * Counts right and wrong diagnoses of the stages.
 */
final readonly class Score
{
    /** From this share of errors on, users call a site down. The published account ends with 0.03 %. */
    public const FIXED_ERROR_RATE = 0.01;

    /**
     * @param list<array{
     *     stage: string,
     *     doctor: array{cause: ?string, seconds_to_cause: ?float, found: list<string>, ...},
     *     ...
     * }> $stages
     */
    public function __construct(private array $stages) {}

    /** @return array{right: bool, words: string} of one stage */
    public static function judge(Stage $stage, ?string $cause, array $found): array
    {
        $missing = array_values(array_diff($stage->harm(), $found));

        return match (true) {
            $cause === null => ['right' => false, 'words' => 'no live diagnosis'],
            ! in_array($cause, $stage->causes(), true) => [
                'right' => false,
                'words' => "named {$cause}, not ".implode(' or ', $stage->causes()),
            ],
            $missing !== [] => ['right' => false, 'words' => "named {$cause}; not flagged: ".implode(', ', $missing)],
            default => [
                'right' => true,
                'words' => "named {$cause}"
                    .($stage->harm() === [] ? '' : ', flagged '.implode(' and ', $stage->harm())),
            ],
        };
    }

    /** Stages with a fault whose cause was named and whose checks fired. */
    public function named(): int
    {
        return count(array_filter(
            $this->stages,
            static fn (array $row): bool => Stage::from($row['stage'])->isIll() && self::isRight($row),
        ));
    }

    public function ill(): int
    {
        return count(array_filter($this->stages, static fn (array $row): bool => Stage::from($row['stage'])->isIll()));
    }

    /** Stages without a fault for which the doctor named a cause. */
    public function falseAlarms(): int
    {
        return count(array_filter(
            $this->stages,
            static fn (array $row): bool => ! Stage::from($row['stage'])->isIll()
                && $row['doctor']['cause'] !== null
                && ! in_array($row['doctor']['cause'], Stage::from($row['stage'])->causes(), true),
        ));
    }

    /** @return ?float the longest time to a right cause */
    public function secondsToCause(): ?float
    {
        $seconds = array_filter(
            array_map(
                static fn (array $row): ?float => Stage::from($row['stage'])->isIll() && self::isRight($row)
                    ? $row['doctor']['seconds_to_cause']
                    : null,
                $this->stages,
            ),
            is_float(...),
        );

        return $seconds === [] ? null : max($seconds);
    }

    /** @param array{stage: string, doctor: array{cause: ?string, found: list<string>, ...}, ...} $row */
    private static function isRight(array $row): bool
    {
        return self::judge(Stage::from($row['stage']), $row['doctor']['cause'], $row['doctor']['found'])['right'];
    }
}
