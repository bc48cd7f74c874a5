<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\RedisStore\Fallback;

use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\RedisStore\Fallback\UnconfirmedAppend;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;

final class UnconfirmedAppendTest extends TestCase
{
    private const TOKEN = "\0\x01\n\"}]\xFF abcd";

    #[Test]
    #[TestWith(['{"a":1}'])]
    #[TestWith(["{\"a\":\"]\"}\n{\"b\":2}"])]
    #[TestWith(["[\"an id\",{\"a\":1}]\n{\"b\":2}"])]
    public function a_marked_payload_is_read_with_its_token(string $payload): void
    {
        $read = UnconfirmedAppend::read(UnconfirmedAppend::mark(self::TOKEN, $payload));

        self::assertSame([self::TOKEN, $payload], [$read->token, $read->payload]);
    }

    #[Test]
    #[TestWith(['{"a":1}'])]
    #[TestWith(['["redis:0123",{"a":1}]'])]
    #[TestWith(['["node/bucket/place",{"a":1}]'])]
    public function a_payload_without_a_mark_is_read_as_it_is(string $payload): void
    {
        self::assertSame(
            ['', $payload],
            [UnconfirmedAppend::read($payload)->token, UnconfirmedAppend::read($payload)->payload],
        );
    }

    #[Test]
    public function eight_mebibytes_are_read_too(): void
    {
        $payload = implode("\n", array_fill(0, 8, '{"a":"'.str_repeat('x', 1_000_000).'"}'));

        self::assertSame($payload, UnconfirmedAppend::read(UnconfirmedAppend::mark(self::TOKEN, $payload))->payload);
    }

    #[Test]
    public function a_store_on_disk_delivers_it_with_the_token_as_its_id(): void
    {
        [$values, $id] = (new Codec)->decode(UnconfirmedAppend::mark(self::TOKEN, '{"a":1}'));

        self::assertSame([['a' => 1], 'redis:'.bin2hex(self::TOKEN)], [$values, $id]);
    }
}
