<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Server;

use Headroom\Collector\RecyclePolicy;
use Headroom\Collector\Server\RecycleRequest;
use Headroom\Support\ConfigReader;
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
        foreach (['requests' => 7, 'memory' => 1, 'seconds' => 100] as $limit => $most) {
            $none = ['requests' => 0, 'memory' => 0, 'seconds' => 0];
            $reached = self::request([...$none, $limit => $most])->due(100 * self::SECOND, 2 << 20, 7);
            $name = $limit === 'seconds' ? 'age' : $limit;

            self::assertStringStartsWith("{$name}:", (string) $reached);
            self::assertNull(self::request([...$none, $limit => $most + 1])->due(100 * self::SECOND, 2 << 20, 7));
            self::assertNull(self::request($none)->due(100 * self::SECOND, 2 << 20, 7));
        }
    }

    /** @param array<string, int> $recycle */
    private static function request(array $recycle): RecycleRequest
    {
        return new RecycleRequest(RecyclePolicy::fromOptions(new ConfigReader($recycle, 'collector.recycle'), 0, 0.0));
    }
}
