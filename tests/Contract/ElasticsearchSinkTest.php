<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Core\SystemClock;
use Headroom\Sink\Elasticsearch\ElasticsearchSink;
use Headroom\Support\ConfigReader;
use Headroom\Testing\Arrived;
use Headroom\Testing\AtLeastOnceContract;
use Headroom\Tests\Contract\Support\WatchedSink;
use Headroom\Tests\Support\OpenSearch\OpenSearchServer;

/**
 * On a real OpenSearch.
 */
final class ElasticsearchSinkTest extends AtLeastOnceContract
{
    private OpenSearchServer $server;

    private string $index;

    /** @var list<WatchedSink> */
    private array $sinks = [];

    protected function setUp(): void
    {
        $this->server = OpenSearchServer::get();
        $this->index = 'contract-'.bin2hex(random_bytes(6));
        $this->server->ask(
            'PUT',
            "/{$this->index}",
            ['settings' => ['number_of_shards' => 1, 'number_of_replicas' => 0]],
        );
    }

    protected function tearDown(): void
    {
        if (isset($this->server)) {
            $this->server->ask('DELETE', "/{$this->index}");
        }
    }

    public function createSink(): WatchedSink
    {
        return $this->sinks[] = new WatchedSink(ElasticsearchSink::fromOptions(
            new ConfigReader(['url' => $this->server->url, 'index' => $this->index], 'spool.buckets.events'),
            new SystemClock,
        ));
    }

    /**
     * An index has no order of arrival, because two requests are under way at once. The result is in the order in which
     * the events were handed over.
     */
    public function arrived(): array
    {
        $ids = array_merge([], ...array_map(static fn (WatchedSink $sink): array => $sink->ids, $this->sinks));
        $documents = array_column($this->server->documents($this->index), '_source', '_id');
        self::assertSame([], array_diff_key($documents, $ids), 'Documents that were not sent.');
        $arrived = [];

        foreach (array_intersect_key($ids, $documents) as $document => $id) {
            $values = $documents[$document];
            self::assertIsString($values['@timestamp'] ?? null);
            unset($values['@timestamp']);
            $arrived[] = new Arrived($values, $id);
        }

        return $arrived;
    }

    public function obstruct(): void
    {
        $this->block(true);
    }

    public function clear(): void
    {
        $this->block(false);
    }

    private function block(bool $isBlocked): void
    {
        $answer = $this->server->ask('PUT', "/{$this->index}/_settings", ['index.blocks.write' => $isBlocked]);
        self::assertTrue($answer['acknowledged'] ?? null);
    }
}
