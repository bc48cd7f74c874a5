<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Tests\Support\DirectoryTestCase;

/**
 * bin/headroom load, with a server of its own and a directory for files.
 */
abstract class LoadCommandTestCase extends DirectoryTestCase
{
    protected HttpServer $server;

    protected function setUp(): void
    {
        parent::setUp();
        $this->server = HttpServer::start();
    }

    protected function tearDown(): void
    {
        $this->server->stop();
        parent::tearDown();
    }
}
