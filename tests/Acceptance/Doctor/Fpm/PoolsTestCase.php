<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Doctor\Fpm;

use Headroom\Tests\Acceptance\Host\Needs;
use PHPUnit\Framework\TestCase;

/**
 * PHP-FPM with pools that each test starts.
 */
abstract class PoolsTestCase extends TestCase
{
    protected ?Pools $pools = null;

    protected function setUp(): void
    {
        Needs::webStack();
    }

    protected function tearDown(): void
    {
        $this->pools?->stop();
    }
}
