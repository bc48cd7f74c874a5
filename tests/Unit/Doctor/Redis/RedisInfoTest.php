<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Redis;

use Headroom\Doctor\Redis\RedisInfo;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class RedisInfoTest extends TestCase
{
    #[Test]
    public function it_has_names_and_values_and_no_headings(): void
    {
        $info = RedisInfo::parse(
            "# Server\r\nredis_version:7.0.15\r\n\r\n# CPU\r\nused_cpu_sys:1.250000\r\nexecutable:/a:b\r\nempty:\r\n",
        );

        self::assertSame(
            ['redis_version' => '7.0.15', 'used_cpu_sys' => '1.250000', 'executable' => '/a:b', 'empty' => ''],
            $info->values,
        );
        self::assertSame(
            [1.25, null, null, null],
            [
                $info->number('used_cpu_sys'),
                $info->number('redis_version'),
                $info->number('empty'),
                $info->number('absent'),
            ],
        );
        self::assertNull(RedisInfo::parse("used_cpu_sys:1e999\n")->number('used_cpu_sys'));
    }
}
