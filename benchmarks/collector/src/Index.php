<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector;

use RuntimeException;

/**
 * An index of its own in a real Elasticsearch or OpenSearch.
 */
final readonly class Index
{
    private const PAGE = 10_000;

    public string $name;

    public function __construct(public string $url, string $purpose)
    {
        $this->name = "headroom-{$purpose}-".bin2hex(random_bytes(4));
        $this->ask('PUT', "/{$this->name}", ['settings' => ['number_of_shards' => 1, 'number_of_replicas' => 0, 'refresh_interval' => '10s'], 'mappings' => ['properties' => [
            '@timestamp' => ['type' => 'date'], 'id' => ['type' => 'keyword'], 'source' => ['type' => 'keyword'], 'type' => ['type' => 'keyword'], 'data' => ['type' => 'object', 'dynamic' => false],
        ]]]);
    }

    /**
     * What a bucket's configuration says to deliver here.
     *
     * @return array<string, mixed>
     */
    public function sink(?string $url = null): array
    {
        return ['sink' => 'elasticsearch', 'url' => $url ?? $this->url, 'index' => $this->name, 'batch' => 10_000];
    }

    /** @return array<string, int> how many documents have an event's id */
    public function ids(): array
    {
        $this->ask('POST', "/{$this->name}/_refresh");
        $page = $this->ask('POST', "/{$this->name}/_search?scroll=1m", ['size' => self::PAGE, '_source' => ['id'], 'sort' => ['_doc']]);
        $ids = [];

        while (($hits = $page['hits']['hits']) !== []) {
            foreach ($hits as $hit) {
                $id = $hit['_source']['id'];
                $ids[$id] = ($ids[$id] ?? 0) + 1;
            }

            $page = $this->ask('POST', '/_search/scroll', ['scroll' => '1m', 'scroll_id' => $page['_scroll_id']]);
        }

        return $ids;
    }

    public function remove(): void
    {
        $this->ask('DELETE', "/{$this->name}");
    }

    /**
     * @param array<string, mixed> $body
     * @return array<string, mixed>
     */
    private function ask(string $method, string $path, array $body = []): array
    {
        $context = stream_context_create(['http' => ['method' => $method, 'header' => 'Content-Type: application/json', 'content' => $body === [] ? '' : json_encode($body, JSON_THROW_ON_ERROR), 'ignore_errors' => true, 'timeout' => 60]]);
        $answer = json_decode((string) file_get_contents($this->url.$path, false, $context), true);

        return is_array($answer) && ! isset($answer['error']) ? $answer : throw new RuntimeException("{$method} {$path}: ".json_encode($answer));
    }
}
