<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract\Support;

use Headroom\Core\Clock;
use Headroom\Sink\Delivery;
use Headroom\Sink\Elasticsearch\ElasticsearchSink;
use Headroom\Sink\UnableToDeliver;
use Headroom\Support\ConfigReader;
use Headroom\Testing\ContractLog;
use Headroom\Tests\Fault\Support\SetClock;

/**
 * The sink elasticsearch, and a scripted server in the place of a cluster.
 */
trait SendsToElasticsearch
{
    private ScriptedServer $server;

    private SetClock $clock;

    protected function setUp(): void
    {
        $this->server = ScriptedServer::start();
        $this->clock = new SetClock(1_784_000_000_000_000);
    }

    protected function tearDown(): void
    {
        $this->server->stop();
    }

    /** @return list<int> documents of each request */
    private function sizes(): array
    {
        return array_map(
            static fn (ReceivedRequest $request): int => intdiv(substr_count($request->body, "\n"), 2),
            $this->server->requests(),
        );
    }

    /** @param array<int, array<string, int|string>> $others members of some of them, by number */
    private function delivery(int $events, array $others = []): Delivery
    {
        return ContractLog::of('events')->delivery(array_map(
            static fn (int $n): array => ['n' => $n, ...$others[$n] ?? []],
            range(0, max(0, $events - 1)),
        ));
    }

    private function failure(ElasticsearchSink $sink, Delivery $delivery): ?UnableToDeliver
    {
        try {
            $sink->deliver($delivery);
        } catch (UnableToDeliver $failure) {
            return $failure;
        }

        return null;
    }

    /** @param array<string, mixed> $options */
    private function sink(array $options = [], ?Clock $clock = null): ElasticsearchSink
    {
        return ElasticsearchSink::fromOptions(
            new ConfigReader(
                ['url' => "http://127.0.0.1:{$this->server->port}", 'index' => 'events', ...$options],
                'spool.buckets.events',
            ),
            $clock ?? $this->clock,
        );
    }
}
