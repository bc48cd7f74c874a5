<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Load\Failure;
use Headroom\Load\Outcome;
use Headroom\Load\Plan;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Group;
use PHPUnit\Framework\Attributes\RequiresPhpExtension;
use PHPUnit\Framework\Attributes\Test;

/**
 * Requests and answers that a server takes or gives in many pieces, or not whole.
 */
#[RequiresPhpExtension('posix')]
final class LargeRequestsTest extends GeneratorTestCase
{
    protected const SCRIPT = 'peer.php';

    #[Test]
    public function a_large_body_arrives_whole_also_where_it_is_taken_slowly(): void
    {
        $result = $this->send(
            '/slowly',
            Plan::requests(6, concurrency: 3, timeout: 60.0),
            str_repeat('0123456789', 800_000),
        );

        self::assertSame([6, 3], [$result->succeeded(), $result->connections]);
        self::assertSame(
            array_fill(0, 6, '8000000'),
            array_map(static fn (SeenRequest $request): string => $request->body, $this->server->requests()),
        );
    }

    /** @return iterable<string, array{string}> */
    public static function earlyAnswers(): iterable
    {
        yield 'at the head' => ['/early/0'];
        yield 'in the middle of the body' => ['/early/3000000'];
    }

    #[Test]
    #[DataProvider('earlyAnswers')]
    public function an_answer_before_the_request_was_sent_whole_is_the_answer(string $path): void
    {
        $result = $this->send($path, Plan::requests(20, concurrency: 4, timeout: 60.0), str_repeat('x', 8_000_000));

        self::assertSame(
            [20, 20, [413 => 20], 20],
            [$result->sent(), $result->count(Outcome::HttpError), $result->statuses, $result->connections],
        );
        self::assertSame(0, $result->resent);
        self::assertCount(20, $this->server->requests());
    }

    #[Test]
    public function a_connection_answered_before_the_request_ended_is_not_used_again(): void
    {
        $result = $this->send('/polite', Plan::requests(5, concurrency: 1, timeout: 10.0), str_repeat('x', 8_000_000));

        self::assertSame([5, 5, 5], [$result->sent(), $result->succeeded(), $result->connections]);
    }

    /** @return iterable<string, array{string, int, Failure}> */
    public static function failures(): iterable
    {
        yield 'reset while it is sent' => ['/broken', 8_000_000, Failure::Reset];
        yield 'reset in the middle of the answer' => ['/half', 8_000_000, Failure::Reset];
        yield 'never read' => ['/deaf', 8_000_000, Failure::TimeoutWaiting];
    }

    #[Test]
    #[DataProvider('failures')]
    public function a_request_that_is_not_taken_whole_is_counted_once(string $path, int $bytes, Failure $failure): void
    {
        $result = $this->send(
            $path,
            Plan::requests(12, concurrency: 4, timeout: $failure->outcome() === Outcome::Timeout ? 1.0 : 60.0),
            str_repeat('x', $bytes),
        );

        self::assertSame([12, 0, 0, 0], [$result->sent(), $result->succeeded(), $result->unfinished, $result->resent]);
        self::assertSame(
            [[$failure, 12]],
            array_map(static fn ($count): array => [$count->failure, $count->count], $result->failures),
        );
        self::assertCount(12, $this->server->requests());
    }

    /** @return iterable<string, array{string, int}> */
    public static function bodies(): iterable
    {
        yield 'large' => ['/large/100', 104_857_600];
        yield 'in very many pieces' => ['/drip/10000', 10_000];
        yield 'ended by the connection' => ['/closed/3000000', 3_000_000];
    }

    #[Test, Group('day-1')]
    #[DataProvider('bodies')]
    public function a_body_is_counted_and_not_kept(string $path, int $bytes): void
    {
        memory_reset_peak_usage();
        $before = memory_get_usage();
        $result = $this->send($path, Plan::requests(2, concurrency: 2, timeout: 60.0));

        self::assertSame([2, 2 * $bytes], [$result->succeeded(), $result->bytes]);
        self::assertLessThan(4_000_000, memory_get_peak_usage() - $before);
    }

    #[Test]
    public function many_large_requests_in_flight_share_their_text(): void
    {
        $body = str_repeat('x', 4_000_000);
        memory_reset_peak_usage();
        $before = memory_get_usage();
        $result = $this->send('/deaf', Plan::requests(40, concurrency: 40, timeout: 1.0), $body);

        self::assertSame(40, $result->count(Outcome::Timeout));
        self::assertLessThan(40_000_000, memory_get_peak_usage() - $before);
    }
}
