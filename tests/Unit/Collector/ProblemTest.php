<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector;

use Headroom\Collector\Problem;
use Headroom\Collector\Response;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class ProblemTest extends TestCase
{
    #[Test]
    public function a_problem_is_told_to_programs_and_to_people(): void
    {
        $response = Problem::response(
            413,
            'body_too_large',
            'The body is 6 MB; the limit is 5 MB.',
            ['Allow' => 'POST'],
            ['limit' => 5],
        );

        self::assertSame(413, $response->status);
        self::assertSame(['Content-Type' => 'application/problem+json', 'Allow' => 'POST'], $response->headers);
        self::assertSame(
            '{"type":"about:blank","title":"Content Too Large","status":413,"detail":"The body is 6 MB;'
                .' the limit is 5 MB.","code":"body_too_large","retryable":false,"limit":5}'."\n",
            $response->body,
        );
    }

    #[Test]
    #[TestWith([408])]
    #[TestWith([429])]
    #[TestWith([502])]
    #[TestWith([503])]
    #[TestWith([504])]
    public function a_problem_that_may_pass_says_so(int $status): void
    {
        self::assertTrue(self::members(Problem::response(max(400, min(599, $status)), 'x', 'x'))['retryable']);
    }

    #[Test]
    #[TestWith([400])]
    #[TestWith([422])]
    #[TestWith([500])]
    #[TestWith([501])]
    #[TestWith([505])]
    public function a_problem_that_will_not_pass_says_so(int $status): void
    {
        self::assertFalse(self::members(Problem::response(max(400, min(599, $status)), 'x', 'x'))['retryable']);
    }

    #[Test]
    public function the_time_to_wait_is_in_the_body_too(): void
    {
        self::assertSame(7, self::members(Problem::response(503, 'x', 'x', ['retry-after' => '7']))['retry_after']);
        self::assertSame(
            'Sun, 06 Nov 1994 08:49:37 GMT',
            self::members(Problem::response(
                503,
                'x',
                'x',
                ['Retry-After' => 'Sun, 06 Nov 1994 08:49:37 GMT'],
            ))['retry_after'],
        );
        self::assertArrayNotHasKey('retry_after', self::members(Problem::response(503, 'x', 'x')));
    }

    #[Test]
    public function standard_members_and_the_content_type_cannot_be_replaced(): void
    {
        $response = Problem::response(
            400,
            'real',
            'x',
            ['Content-Type' => 'text/html'],
            ['code' => 'other', 'status' => 200],
        );

        self::assertSame('application/problem+json', $response->headers['Content-Type']);
        self::assertSame('real', self::members($response)['code']);
        self::assertSame(400, self::members($response)['status']);
    }

    #[Test]
    public function values_that_json_cannot_carry_still_make_a_body(): void
    {
        $members = self::members(Problem::response(400, 'x', "a\xFFb \u{2028} /", members: ['float' => NAN]));

        self::assertSame("a\u{FFFD}b \u{2028} /", $members['detail']);
        self::assertSame(0, $members['float']);
    }

    /** @return array<mixed> */
    private static function members(Response $response): array
    {
        $members = json_decode($response->body, true, flags: JSON_THROW_ON_ERROR);
        self::assertIsArray($members);

        return $members;
    }
}
