<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Process\Supervision;

use Headroom\Process\Supervision\Channel;
use PHPUnit\Framework\Assert;

/**
 * Both ends of a channel in one process.
 */
final readonly class TestChannel
{
    /** @return array{Channel, Channel} */
    public static function pair(): array
    {
        $pair = stream_socket_pair(STREAM_PF_UNIX, STREAM_SOCK_STREAM, 0);

        return $pair === false
            ? Assert::fail('There is no socket pair.')
            : [Channel::over($pair[0]), Channel::over($pair[1])];
    }
}
