<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\UnderLoad\Waits;

use Headroom\Doctor\UnderLoad\Waits\Sockets\InetRow;
use Headroom\Doctor\UnderLoad\Waits\Sockets\SocketStatistics;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class SocketStatisticsTest extends TestCase
{
    #[Test]
    public function a_connection_that_was_closed_since_the_last_time_is_still_known_once(): void
    {
        $server = stream_socket_server('tcp://127.0.0.1:0');
        self::assertNotFalse($server);
        $address = (string) stream_socket_get_name($server, false);
        $connection = stream_socket_client("tcp://{$address}");
        self::assertNotFalse($connection);
        $inode = fstat($connection)['ino'] ?? 0;
        $statistics = new SocketStatistics;

        self::assertSame([], self::rows($statistics, 1));
        fclose($connection);

        self::assertSame(
            [$address],
            array_map(
                static fn (InetRow $row): string => "{$row->remote}:{$row->remotePort}",
                self::rows($statistics, $inode),
            ),
        );
        self::assertSame([], self::rows($statistics, $inode));
    }

    /** @return list<InetRow> */
    private static function rows(SocketStatistics $statistics, int $inode): array
    {
        return array_values(array_filter(
            $statistics->tcp([$inode]) ?? self::fail('ss does not tell.'),
            static fn (InetRow $row): bool => ! $row->listens,
        ));
    }
}
