<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Benchmarks\Bottleneck;

use Headroom\Benchmarks\Bottleneck\Score;
use Headroom\Benchmarks\Bottleneck\Stage;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class ScoreTest extends TestCase
{
    /** @param list<string> $found */
    #[Test]
    #[TestWith([Stage::Baseline, 'redis-connections', ['R1', 'L8'], true, 'named redis-connections, flagged R1'])]
    #[TestWith([Stage::Baseline, 'redis-replies', ['R1'], false, 'named redis-replies, not redis-connections'])]
    #[TestWith([Stage::Baseline, 'redis-connections', [], false, 'named redis-connections; not flagged: R1'])]
    #[TestWith([Stage::Baseline, 'nothing', ['R1'], false, 'named nothing, not redis-connections'])]
    #[TestWith([Stage::Baseline, null, ['R1'], false, 'no live diagnosis'])]
    #[TestWith([Stage::Keepalive, 'kept-connections', ['N5', 'R1'], true, 'named kept-connections, flagged N5 and R1'])]
    #[TestWith([Stage::Keepalive, 'redis-connections', ['R1'], false, 'named redis-connections; not flagged: N5'])]
    #[TestWith([Stage::Files, 'nothing', ['L7'], true, 'named nothing'])]
    #[TestWith([Stage::Files, 'cpu-full', [], true, 'named cpu-full'])]
    #[TestWith([Stage::Files, 'disk', [], false, 'named disk, not nothing or cpu-full'])]
    #[TestWith([Stage::Persistent, 'redis-connections', [], false, 'named redis-connections, not nothing or cpu-full'])]
    public function a_stage_is_right_when_its_cause_is_named_and_its_harm_flagged(
        Stage $stage,
        ?string $cause,
        array $found,
        bool $right,
        string $words,
    ): void {
        self::assertSame(['right' => $right, 'words' => $words], Score::judge($stage, $cause, $found));
    }

    #[Test]
    public function a_cause_named_where_all_is_well_is_a_false_alarm(): void
    {
        $score = new Score([
            self::row(Stage::Baseline, 'redis-connections', ['R1'], 21.0),
            self::row(Stage::Limits, 'pool-too-small', ['R1'], 90.0),
            self::row(Stage::Keepalive, 'kept-connections', ['N5', 'R1'], 24.5),
            self::row(Stage::Files, 'nothing', [], 20.0),
            self::row(Stage::Persistent, 'backlog-overflow', [], 99.0),
        ]);

        self::assertSame([3, 2, 1], [$score->ill(), $score->named(), $score->falseAlarms()]);
        // Neither a wrong cause nor a false alarm counts in the time to a cause.
        self::assertSame(24.5, $score->secondsToCause());
    }

    #[Test]
    public function without_a_live_diagnosis_nothing_is_named_and_no_time_is_made_up(): void
    {
        $score = new Score([self::row(Stage::Baseline, null, ['R1'], null), self::row(Stage::Files, null, [], null)]);

        self::assertSame(
            [1, 0, 0, null],
            [$score->ill(), $score->named(), $score->falseAlarms(), $score->secondsToCause()],
        );
    }

    /**
     * @param list<string> $found
     * @return array{stage: string, doctor: array{cause: ?string, seconds_to_cause: ?float, found: list<string>}}
     */
    private static function row(Stage $stage, ?string $cause, array $found, ?float $seconds): array
    {
        return [
            'stage' => $stage->value,
            'doctor' => ['cause' => $cause, 'seconds_to_cause' => $seconds, 'found' => $found],
        ];
    }
}
