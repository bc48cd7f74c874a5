<?php

declare(strict_types=1);

namespace Headroom\Charts;

use Headroom\Core\Clock;
use Headroom\Sink\Elasticsearch\ElasticsearchOptions;
use Headroom\Sink\Elasticsearch\NodePool;
use Headroom\Sink\HttpClient\ClientMissing;
use Headroom\Sink\HttpClient\Endpoint;
use Headroom\Sink\HttpClient\HttpClient;
use Headroom\Sink\HttpClient\HttpResponse;
use Headroom\Sink\HttpClient\UnableToSend;
use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;

/**
 * Counts events over time in the index of the Elasticsearch sink.
 *
 * @internal
 */
final readonly class EventCharts
{
    private const SECONDS = 25.0;

    /** Two hundred intervals of twenty-one names are some 300 KB. */
    private const MAX_BYTES = 8_388_608;

    private const WANTED = 'filter_path=timed_out,_shards.failed,error.type,error.root_cause.type,'
        .'aggregations.all.buckets.key,aggregations.all.buckets.doc_count,'
        .'aggregations.top.buckets.key,aggregations.top.buckets.over_time.buckets.key,'
        .'aggregations.top.buckets.over_time.buckets.doc_count';

    private NodePool $nodes;

    /** @param list<string> $actions prefixes of the types of end-user actions */
    public function __construct(
        private ElasticsearchOptions $options,
        private array $actions,
        private Clock $clock,
        private HttpClient $client = new HttpClient,
    ) {
        $this->nodes = new NodePool($options->nodes, $clock);
    }

    /**
     * @param ConfigReader $options the settings of a bucket with the sink `elasticsearch`
     * @param list<string> $actions
     *
     * @throws InvalidConfig
     */
    public static function fromOptions(ConfigReader $options, array $actions, Clock $clock): self
    {
        return new self(ElasticsearchOptions::from($options), $actions, $clock);
    }

    /** @param array<array-key, mixed> $parameters of the URL */
    public function answer(array $parameters): ChartResponse
    {
        try {
            return ChartResponse::of($this->counts(ChartQuery::from(
                $parameters,
                intdiv($this->clock->micros(), 1_000_000),
            )));
        } catch (InvalidChartQuery|IndexUnreadable $e) {
            return ChartResponse::problem($e);
        }
    }

    /** @throws IndexUnreadable */
    public function counts(ChartQuery $query): EventCounts
    {
        $index = $this->options->index->wildcard();
        $body = json_encode(
            (new Aggregation($this->actions))->of($query),
            JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES,
        );
        [$node, $answer] = $this->ask('/'.rawurlencode($index).'/_search?'.self::WANTED, $body);

        if (! $answer->isSuccess()) {
            throw IndexUnreadable::by($node, $answer, $index);
        }

        $read = $answer->isCut ? null : json_decode($answer->body, true);

        try {
            return EventCounts::read(
                $query,
                is_array($read)
                    ? $read
                    : throw UnreadableCounts::because(
                        $answer->isCut ? 'more than '.self::MAX_BYTES.' bytes' : 'text that is not JSON',
                    ),
            );
        } catch (UnreadableCounts $e) {
            throw IndexUnreadable::counts($e);
        }
    }

    /**
     * @return array{Endpoint, HttpResponse}
     *
     * @throws IndexUnreadable
     */
    private function ask(string $path, string $body): array
    {
        while (true) {
            $node = $this->nodes->next();

            try {
                return [
                    $node,
                    $this->client->post(
                        $node->at($path),
                        [...$this->options->headers, 'Content-Type' => 'application/json'],
                        $body,
                        min(self::SECONDS, $this->options->timeout),
                        static fn (): int => self::MAX_BYTES,
                    ),
                ];
            } catch (ClientMissing $e) {
                throw IndexUnreadable::noAnswer($node, $e->getMessage());
            } catch (UnableToSend $e) {
                if (! $this->nodes->markDown($node)) {
                    throw IndexUnreadable::noAnswer($node, 'no node answered');
                }
            }
        }
    }
}
