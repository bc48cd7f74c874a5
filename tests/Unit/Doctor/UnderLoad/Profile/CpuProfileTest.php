<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\UnderLoad\Profile;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\UnderLoad\Profile\CpuProfile;
use Headroom\Doctor\UnderLoad\Profile\HotFunction;
use Headroom\Doctor\UnderLoad\Profile\RequestSamples;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

/**
 * Samples of several requests are one profile.
 */
final class CpuProfileTest extends TestCase
{
    #[Test]
    public function the_samples_of_all_requests_are_added(): void
    {
        $profile = CpuProfile::of('/srv/index.php', [
            self::request(60, ['a()' => [50, 60, 7], 'b()' => [10, 10, 3]]),
            self::request(40, ['b()' => [30, 40, 4], 'a()' => [10, 40, 9]]),
        ]);

        $row = static fn (HotFunction $hot): array => [$hot->name, $hot->line, $hot->self, $hot->inclusive];
        $told = array_map($row, $profile->functions);

        self::assertSame([['a()', 7, 0.6, 1.0], ['b()', 4, 0.4, 0.5]], $told);
        self::assertSame([2, 100, 0.1], [$profile->requests, $profile->samples, $profile->cpuSeconds]);
        self::assertTrue($profile->isEnough());
    }

    #[Test]
    public function few_samples_are_not_enough(): void
    {
        self::assertFalse(CpuProfile::of('/srv/index.php', [])->isEnough());
        self::assertFalse(CpuProfile::of('/srv/index.php', [self::request(49, ['a()' => [49, 49, 1]])])->isEnough());
        self::assertTrue(CpuProfile::of('/srv/index.php', [self::request(50, ['a()' => [50, 50, 1]])])->isEnough());
    }

    /** @return iterable<string, array{string, array<string, array{int, int, int}>}> */
    public static function shapes(): iterable
    {
        yield 'one takes most' => ['leaf()', ['leaf()' => [60, 60, 1], 'page()' => [40, 100, 1]]];
        $leaves = [];

        for ($leaf = 0; $leaf < 60; $leaf++) {
            $leaves["leaf{$leaf}()"] = [1, 1, 1];
        }

        $callers = ['code of index.php' => [0, 100, 1], 'Report::rows()' => [0, 55, 1]];
        yield 'many take little' => ['Report::rows()', $leaves + ['Kernel::handle()' => [9, 99, 1]] + $callers];
        $much = ['Kernel::handle()' => [40, 99, 1]];
        yield 'one of others takes much' => ['Kernel::handle()', $leaves + $much + $callers];
    }

    /** @param array<string, array{int, int, int}> $functions */
    #[Test]
    #[DataProvider('shapes')]
    public function the_one_to_look_at_is_named(string $name, array $functions): void
    {
        $profile = CpuProfile::of('/srv/index.php', [self::request(100, $functions)]);

        self::assertSame($name, $profile->hottest()?->name);
        $named = array_map(static fn (Evidence $evidence): string => $evidence->what, $profile->evidence());
        self::assertContains($name, $named);
    }

    /** @return iterable<string, array{string}> */
    public static function lines(): iterable
    {
        yield 'nothing' => [''];
        yield 'half a line' => ['{"samples": 4, "cpu_us": 9, "func'];
        yield 'no object' => ['7'];
        yield 'no count' => ['{"samples": "4", "cpu_us": 9, "functions": []}'];
        yield 'no CPU time' => ['{"samples": 4, "functions": []}'];
    }

    #[Test]
    #[DataProvider('lines')]
    public function a_line_that_is_not_whole_is_no_request(string $line): void
    {
        self::assertNull(RequestSamples::fromLine($line));
    }

    /** @param array<string, array{int, int, int}> $functions own samples, with those of what it calls, and the line */
    private static function request(int $samples, array $functions): RequestSamples
    {
        $told = [];

        foreach ($functions as $name => [$self, $inclusive, $line]) {
            $told[] = compact('name', 'line', 'self', 'inclusive') + ['file' => '/srv/a.php'];
        }

        $line = json_encode(['samples' => $samples, 'cpu_us' => 1_000 * $samples, 'functions' => $told]);
        $request = RequestSamples::fromLine((string) $line);
        self::assertNotNull($request);

        return $request;
    }
}
