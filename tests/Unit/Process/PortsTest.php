<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Process;

use Headroom\Process\Ports;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class PortsTest extends TestCase
{
    #[Test]
    public function a_free_port_can_be_bound_and_then_accepts(): void
    {
        $port = Ports::free();
        self::assertFalse(Ports::accepts($port));

        $server = stream_socket_server("tcp://127.0.0.1:{$port}");
        self::assertIsResource($server);
        self::assertTrue(Ports::accepts($port));
        fclose($server);
    }
}
