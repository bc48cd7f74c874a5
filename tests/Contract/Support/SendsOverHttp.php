<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract\Support;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Sink\Delivery;
use Headroom\Sink\Http\HttpSink;
use Headroom\Sink\HttpClient\Endpoint;
use Headroom\Sink\UnableToDeliver;
use Headroom\Support\ConfigReader;
use Headroom\Testing\ContractLog;

/**
 * The sink http, and a scripted server that it sends to.
 */
trait SendsOverHttp
{
    private ScriptedServer $server;

    protected function setUp(): void
    {
        $this->server = ScriptedServer::start();
    }

    protected function tearDown(): void
    {
        $this->server->stop();
    }

    private function delivery(): Delivery
    {
        return ContractLog::of('crm.calls')
            ->delivery(array_map(static fn (int $id): array => ['id' => (string) $id], range(0, 2)));
    }

    private function failure(Delivery $delivery, ?HttpSink $sink = null): ?UnableToDeliver
    {
        try {
            ($sink ?? $this->sink())->deliver($delivery);
        } catch (UnableToDeliver $failure) {
            return $failure;
        }

        return null;
    }

    /** @param array<string, mixed> $options */
    private function sink(array $options = [], ?Clock $clock = null): HttpSink
    {
        return HttpSink::fromOptions(
            new ConfigReader(['url' => $this->server->url(), 'timeout' => 30, ...$options], 'spool.buckets.crm'),
            $clock ?? $this->clock(),
        );
    }

    private function clock(): Clock
    {
        return new SystemClock;
    }

    private function endpoint(?string $url = null): Endpoint
    {
        return Endpoint::fromOptions(
            new ConfigReader(['url' => $url ?? $this->server->url()], 'spool.buckets.crm'),
            'url',
        );
    }
}
