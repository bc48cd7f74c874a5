<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

use PHPUnit\Framework\TestCase;

/**
 * A Laravel application in a directory of its own, whose commands run as processes.
 */
abstract class ApplicationTestCase extends TestCase
{
    protected ScratchApplication $app;

    protected function setUp(): void
    {
        $this->app = ScratchApplication::onThisCheckout();
    }

    protected function tearDown(): void
    {
        // A test that skips in its setUp() has no application.
        if (isset($this->app)) {
            $this->app->remove();
        }
    }
}
