<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

use PHPUnit\Framework\TestCase;

/**
 * A buffer with one bucket, api-events, and its table. A test that needs other buckets sets $spool itself.
 */
abstract class SpoolTestCase extends TestCase
{
    protected Spool $spool;

    protected function setUp(): void
    {
        $this->spool = new Spool;
    }

    protected function tearDown(): void
    {
        $this->spool->remove();
    }
}
