<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Suite;

use Headroom\Tests\Support\Sample;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class SampleTest extends TestCase
{
    private const CASES = ['a' => 1, 'b' => 2, 'c' => 3, 'd' => 4, 'e' => 5, 'f' => 6];

    /** @var array<string, string|false> */
    private array $before = [];

    protected function setUp(): void
    {
        foreach (['HEADROOM_PROOF', 'HEADROOM_SEED'] as $name) {
            $this->before[$name] = getenv($name);
            putenv($name);
        }
    }

    protected function tearDown(): void
    {
        foreach ($this->before as $name => $value) {
            putenv($value === false ? $name : "{$name}={$value}");
        }
    }

    #[Test]
    public function a_seed_always_takes_the_same_cases_in_their_order(): void
    {
        putenv('HEADROOM_SEED=20260131');
        $sample = Sample::of(self::CASES, 3);

        self::assertCount(3, $sample);
        self::assertSame($sample, Sample::of(self::CASES, 3));
        self::assertSame(array_intersect_key(self::CASES, $sample), $sample);
    }

    #[Test]
    public function the_seed_is_the_day_where_none_is_given(): void
    {
        self::assertMatchesRegularExpression('/\A20\d{6}\z/', (string) Sample::seed());
    }

    #[Test]
    public function the_days_of_a_month_take_every_case(): void
    {
        $taken = [];

        for ($day = 20260101; $day <= 20260131; $day++) {
            putenv("HEADROOM_SEED={$day}");
            $taken += Sample::of(self::CASES, 1);
        }

        ksort($taken);
        self::assertSame(self::CASES, $taken);
    }

    #[Test]
    public function a_proof_takes_all(): void
    {
        self::assertSame(3, Sample::number(3, 30));
        putenv('HEADROOM_PROOF=1');

        self::assertSame(self::CASES, Sample::of(self::CASES, 1));
        self::assertSame(30, Sample::number(3, 30));
    }
}
