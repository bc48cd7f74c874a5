<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Facts\Fpm;

use Headroom\Tests\Unit\Doctor\Support\WebServers;
use PHPUnit\Framework\Attributes\Test;
use PHPUnit\Framework\TestCase;

final class FpmPoolTest extends TestCase
{
    #[Test]
    public function a_pool_that_is_asked_again_is_asked_by_the_same_means(): void
    {
        $machine = new WebServers;
        $pool = $machine->fpm(['www' => []], runtime: ['ini' => ['memory_limit' => '77M']])->pools[0];

        self::assertSame('77M', $pool->runtime()->ini('memory_limit')?->value);
        self::assertSame('77M', $pool->again()->runtime()->ini('memory_limit')?->value);
    }
}
