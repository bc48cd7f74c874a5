<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Kernel\Sockets;

use Headroom\Doctor\Kernel\Sockets\HexAddress;
use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class HexAddressTest extends TestCase
{
    /** @return iterable<string, array{string, string}> */
    public static function addresses(): iterable
    {
        yield 'IPv4' => ['0302000A', '10.0.2.3'];
        yield 'IPv6' => ['B80D0120000000000000000001000000', '2001:db8::1'];
        yield 'IPv4 in a table of IPv6' => ['0000000000000000FFFF00000100007F', '127.0.0.1'];
        yield 'an address of IPv6 that begins as that does' => ['00000000000000000000FFFF0100007F', '::ffff:0:7f00:1'];
        yield 'none' => ['0100007F01', '0100007F01'];
    }

    #[Test]
    #[DataProvider('addresses')]
    public function addresses_of_the_kernel_are_written_as_people_write_them(string $hex, string $text): void
    {
        if (pack('L', 1) !== "\1\0\0\0") {
            self::markTestSkipped('The words of this test are those of a machine with the last byte first.');
        }

        self::assertSame($text, HexAddress::text($hex));
    }
}
