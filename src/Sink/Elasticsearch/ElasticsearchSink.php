<?php

declare(strict_types=1);

namespace Headroom\Sink\Elasticsearch;

use Headroom\Core\Clock;
use Headroom\Core\Finding;
use Headroom\Sink\CreatesSchema;
use Headroom\Sink\Delivery;
use Headroom\Sink\HttpClient\HttpClient;
use Headroom\Sink\Inspectable;
use Headroom\Sink\SchemaOptions;
use Headroom\Sink\SupportsProbe;
use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;
use Random\Randomizer;

/**
 * Stores events as documents in Elasticsearch or OpenSearch. It uses `create` with an `_id` that is the same in every
 * retry: a document may be sent more than once, and is stored once.
 *
 * @internal
 */
final class ElasticsearchSink implements CreatesSchema, Inspectable, SupportsProbe
{
    private readonly NodePool $nodes;

    private readonly RequestSize $size;

    public function __construct(
        private readonly ElasticsearchOptions $options,
        private readonly Clock $clock,
        private readonly HttpClient $client = new HttpClient,
        private readonly Randomizer $random = new Randomizer,
    ) {
        $this->nodes = new NodePool($options->nodes, $clock);
        $this->size = new RequestSize;
    }

    /** @throws InvalidConfig */
    public static function fromOptions(ConfigReader $options, Clock $clock): self
    {
        return new self(ElasticsearchOptions::from($options), $clock);
    }

    public function deliver(Delivery $delivery): void
    {
        $chunks = new ChunkReader($delivery, $this->options, $this->size);
        (new BulkRequests(
            $this->options,
            $chunks,
            $delivery,
            $this->nodes,
            $this->size,
            $this->client,
            $this->clock,
            $this->random,
        ))->run();
    }

    public function probe(Delivery $delivery): void
    {
        $this->deliver($delivery);
    }

    public function setUp(SchemaOptions $wish): array
    {
        return (new IndexSetup($this->options, new ClusterClient($this->options, $this->client)))->run($wish);
    }

    public function inspect(): array
    {
        $missing = HttpClient::missing();
        $problems = $missing === null ? [] : [new Finding('elasticsearch', $missing->getMessage(), $missing->fix)];

        foreach ($this->options->nodes as $node) {
            $problems = [...$problems, ...$node->inspect()];
        }

        return $problems;
    }
}
