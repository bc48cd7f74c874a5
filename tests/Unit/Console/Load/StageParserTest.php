<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Console\Load;

use Headroom\Console\Load\StageParser;
use Headroom\Load\InvalidPlan;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class StageParserTest extends TestCase
{
    /** @return iterable<string, array{list<string>, bool, list<array{float, float, float}>}> from, to, seconds */
    public static function stages(): iterable
    {
        yield 'from 0' => [['30s:100'], false, [[0.0, 100.0, 30.0]]];
        yield 'from the previous target' => [
            ['30s:100', '1m:100', '10:0'],
            false,
            [[0.0, 100.0, 30.0], [100.0, 100.0, 60.0], [100.0, 0.0, 10.0]],
        ];
        yield 'a jump' => [['0s:80', '500ms:40.5'], false, [[80.0, 40.5, 0.5]]];
        yield 'a jump in between' => [['1:10', '0:50', '1:50'], false, [[0.0, 10.0, 1.0], [50.0, 50.0, 1.0]]];
        yield 'a rate' => [['1m30s:500/s'], true, [[0.0, 500.0, 90.0]]];
        yield 'a jump of a rate' => [['0:5/s', '2:5/s'], true, [[5.0, 5.0, 2.0]]];
    }

    /**
     * @param list<string> $texts
     * @param list<array{float, float, float}> $stages
     */
    #[Test]
    #[DataProvider('stages')]
    public function a_stage_starts_at_the_target_of_the_previous_one(
        array $texts,
        bool $isRate,
        array $stages,
    ): void {
        $parsed = StageParser::parse($texts);

        self::assertNotNull($parsed);
        self::assertSame($isRate, $parsed->arePerSecond);
        self::assertSame($stages, array_map(array_values(...), $parsed->stages->toArray()));
    }

    #[Test]
    public function without_a_stage_there_is_nothing(): void
    {
        self::assertNull(StageParser::parse([]));
    }

    /** @return iterable<string, array{list<string>}> */
    public static function wrong(): iterable
    {
        yield 'a number' => [['100']];
        yield 'three parts' => [['0:100:30s']];
        yield 'no time' => [[':100']];
        yield 'no target' => [['30s:']];
        yield 'a negative target' => [['30s:-1']];
        yield 'a target per minute' => [['30s:100/m']];
        yield 'a time without a unit that exists' => [['30d:100']];
        yield 'a negative time' => [['-3:100']];
        yield 'a line break' => [["3:100\n"]];
        yield 'a jump alone' => [['0:100']];
        yield 'two units' => [['1:100', '1:100/s']];
        yield 'two units, one in a jump' => [['0:100', '1:100/s']];
    }

    /** @param list<string> $texts */
    #[Test]
    #[DataProvider('wrong')]
    public function another_text_is_refused(array $texts): void
    {
        $this->expectException(InvalidPlan::class);

        StageParser::parse($texts);
    }
}
