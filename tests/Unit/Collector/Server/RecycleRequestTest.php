<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Server;

use Headroom\Collector\Server\Lifetime;
use Headroom\Collector\Server\RecycleRequest;
use Headroom\Core\Options;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class RecycleRequestTest extends TestCase
{
    private const SECOND = 1_000_000_000;

    #[Test]
    public function a_worker_asks_once_its_share_is_done_and_again_after_fifteen_seconds(): void
    {
        $asked = [];
        $request = self::request(['requests' => 50]);

        for ($second = 0; $second < 60; $second++) {
            $why = $request->due($second * self::SECOND, 0, 30 + 10 * $second);
            $asked += $why === null ? [] : [$second => strstr($why, ':', true)];
        }

        self::assertSame([2 => 'requests', 17 => 'requests', 32 => 'requests', 47 => 'requests'], $asked);
    }

    #[Test]
    public function each_limit_is_one_of_its_own_and_0_is_none(): void
    {
        $none = ['requests' => 0, 'memory' => 0, 'seconds' => 0];
        $why = static fn (array $limit): string => (string) self::request([...$none, ...$limit])->due(100 * self::SECOND, 2 << 20, 7);

        self::assertSame('', $why([]));
        self::assertStringStartsWith('requests:', $why(['requests' => 7]));
        self::assertSame('', $why(['requests' => 8]));
        self::assertStringStartsWith('memory:', $why(['memory' => 1]));
        self::assertSame('', $why(['memory' => 2]));
        self::assertStringStartsWith('age:', $why(['seconds' => 100]));
        self::assertSame('', $why(['seconds' => 101]));
    }

    /** @param array<string, int> $recycle */
    private static function request(array $recycle): RecycleRequest
    {
        return new RecycleRequest(Lifetime::fromOptions(new Options($recycle, 'collector.recycle'), 0, 0.0));
    }
}
