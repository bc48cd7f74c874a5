<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Kernel;

use PHPUnit\Framework\TestCase;

/**
 * A /proc of the test's own making.
 */
abstract class MachineTestCase extends TestCase
{
    protected Machine $machine;

    protected function setUp(): void
    {
        $this->machine = Machine::create();
    }

    protected function tearDown(): void
    {
        $this->machine->remove();
    }
}
