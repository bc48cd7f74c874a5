<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Kernel\Process;

use Headroom\Doctor\Kernel\Process\OpenFileLimit;
use Headroom\Doctor\Kernel\Process\ServerProcess;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class OpenFileLimitTest extends TestCase
{
    /**
     * @return iterable<string, array{int, int, int, string, string}> limit, hard limit, and what is wanted,
     *     told to the process and told back
     */
    public static function limits(): iterable
    {
        yield 'a small one' => [1024, 1024, 65_536, '65536:65536', '1024:1024'];
        yield 'a small one that may be doubled' => [1024, 4096, 65_536, '4096:', '1024:'];
        yield 'a small one that may be raised as far as is wanted' => [1024, 1_048_576, 65_536, '65536:', '1024:'];
        yield 'a small one without a hard limit' => [1024, PHP_INT_MAX, 65_536, '65536:', '1024:'];
        yield 'as large as the least' => [65_536, 1_048_576, 131_072, '131072:', '65536:'];
        yield 'a large one' => [100_000, 100_000, 200_000, '200000:200000', '100000:100000'];
        yield 'a large one that may be doubled' => [100_000, 1_048_576, 200_000, '200000:', '100000:'];
        yield 'a large one that may be raised a little' => [
            100_000, 120_000, 200_000, '200000:200000', '100000:120000',
        ];
    }

    #[Test]
    #[DataProvider('limits')]
    public function a_limit_is_doubled_and_never_lowered(
        int $limit,
        int $hard,
        int $wanted,
        string $now,
        string $before,
    ): void {
        $fix = (new OpenFileLimit(new ServerProcess('mysqld', 7), 1, $limit, $hard))->raised();

        self::assertSame("sudo prlimit --pid 7 --nofile={$now}", $fix->commands[0]);
        self::assertStringContainsString("LimitNOFILE={$wanted};", $fix->commands[1]);
        self::assertStringEndsWith("--nofile={$before}", $fix->rollback);
        self::assertGreaterThan($limit, (int) $now);
    }
}
