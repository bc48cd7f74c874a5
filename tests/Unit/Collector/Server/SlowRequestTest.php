<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Server;

use Headroom\Collector\Server\BodyRate;
use Headroom\Collector\Server\SlowRequest;
use Headroom\Collector\Timeouts;
use Headroom\Http\RequestPhase;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class SlowRequestTest extends TestCase
{
    private const SECOND = 1_000_000_000;

    /** @return iterable<string, array{RequestPhase, ?int, int, string, ?int}> */
    public static function limits(): iterable
    {
        yield 'headers' => [RequestPhase::Head, 0, 10, 'header_timeout', 408];
        yield 'no byte of a body' => [RequestPhase::Body, 0, 30, 'body_timeout', 408];
        yield 'no request after the connection' => [RequestPhase::Idle, 0, 10, 'keepalive_timeout', null];
        yield 'no request after an answer' => [RequestPhase::Idle, null, 75, 'keepalive_timeout', null];
    }

    #[Test]
    #[DataProvider('limits')]
    public function it_is_slow_after_the_limit_and_not_at_it(
        RequestPhase $phase,
        ?int $headSince,
        int $seconds,
        string $why,
        ?int $status,
    ): void {
        $seen = static fn (int $now): ?SlowRequest
            => SlowRequest::seen($phase, new BodyRate, $headSince, 0, $now, new Timeouts);

        self::assertNull($seen($seconds * self::SECOND));
        self::assertSame($why, $seen($seconds * self::SECOND + 1)?->reason);
        self::assertSame($status, $seen($seconds * self::SECOND + 1)->response?->status);
    }

    #[Test]
    public function a_body_that_comes_byte_by_byte_is_slow_though_it_is_never_idle(): void
    {
        $pace = new BodyRate;
        $pace->add(1, 0);
        $now = 30 * self::SECOND;

        self::assertNull(SlowRequest::seen(RequestPhase::Body, $pace, 0, $now, $now, new Timeouts));
        self::assertSame(
            'body_rate',
            SlowRequest::seen(RequestPhase::Body, $pace, 0, $now, $now + 1, new Timeouts)?->reason,
        );
    }

    #[Test]
    public function the_oldest_incomplete_body_is_told_to_come_again(): void
    {
        $answer = SlowRequest::overloaded();

        self::assertSame([503, '5'], [$answer->status, $answer->headers['Retry-After'] ?? null]);
    }
}
