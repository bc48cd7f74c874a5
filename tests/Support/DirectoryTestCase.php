<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use Headroom\Process\TemporaryDirectory;
use PHPUnit\Framework\TestCase;

/**
 * An empty directory for each test, which goes with the test.
 */
abstract class DirectoryTestCase extends TestCase
{
    protected TemporaryDirectory $directory;

    protected function setUp(): void
    {
        $this->directory = TemporaryDirectory::create('test');
    }

    protected function tearDown(): void
    {
        // A test that skips in its setUp() has no directory.
        if (isset($this->directory)) {
            $this->directory->remove();
        }
    }
}
