<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel;

use Headroom\Tests\Laravel\Support\DashboardTestCase;
use Headroom\Tests\Support\Redis\RedisServer;
use PHPUnit\Framework\Attributes\Test;

final class DashboardRedisTest extends DashboardTestCase
{
}
