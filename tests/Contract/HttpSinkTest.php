<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Core\SystemClock;
use Headroom\Sink\Http\HttpSink;
use Headroom\Support\ConfigReader;
use Headroom\Testing\AtLeastOnceContract;
use Headroom\Tests\Contract\Support\ScriptedServer;
use PHPUnit\Framework\Attributes\Group;

#[Group('smoke')]
final class HttpSinkTest extends AtLeastOnceContract
{
    private ScriptedServer $fresh;

    protected function setUp(): void
    {
        $this->fresh = ScriptedServer::start();
    }

    protected function tearDown(): void
    {
        $this->fresh->stop();
    }

    public function createSink(): HttpSink
    {
        return HttpSink::fromOptions(
            new ConfigReader(['url' => $this->fresh->url(), 'timeout' => 30], 'spool.buckets.calls'),
            new SystemClock,
        );
    }

    public function arrived(): array
    {
        return $this->fresh->events();
    }

    /** The latest there is: the server has the events, and its answer is lost. */
    public function obstruct(): void
    {
        $this->fresh->always(['do' => 'close', 'keeps' => true]);
    }

    public function clear(): void
    {
        $this->fresh->always(null);
    }
}
