<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector;

use Generator;
use RuntimeException;

/**
 * A new index in a real Elasticsearch or OpenSearch.
 */
final readonly class Index
{
    private const PAGE = 10_000;

    public string $name;

    public function __construct(public string $url, string $purpose)
    {
        $this->name = "headroom-{$purpose}-".bin2hex(random_bytes(4));
        $this->ask('PUT', "/{$this->name}", [
            'settings' => ['number_of_shards' => 1, 'number_of_replicas' => 0, 'refresh_interval' => '10s'],
            'mappings' => ['properties' => [
                '@timestamp' => ['type' => 'date'], 'id' => ['type' => 'keyword'], 'source' => ['type' => 'keyword'],
                'type' => ['type' => 'keyword'], 'data' => ['type' => 'object', 'dynamic' => false],
            ]],
        ]);
    }

    /**
     * The configuration of a bucket that delivers here.
     * @return array<string, mixed>
     */
    public function sink(?string $url = null): array
    {
        return ['sink' => 'elasticsearch', 'url' => $url ?? $this->url, 'index' => $this->name, 'batch' => 10_000];
    }

    /** @return array<string, int> how many documents have an event's id */
    public function ids(): array
    {
        $ids = [];

        foreach ($this->each() as $id) {
            $ids[$id] = ($ids[$id] ?? 0) + 1;
        }

        return $ids;
    }

    /**
     * For millions of events whose ids end with a number: a bit each.
     * @return array{events: int, double: int}
     */
    public function tally(): array
    {
        $bits = [];
        [$events, $double] = [0, 0];

        foreach ($this->each() as $id) {
            $prefix = rtrim($id, '0123456789');
            $number = (int) substr($id, strlen($prefix));
            $bits[$prefix] ??= '';

            if (strlen($bits[$prefix]) <= $number >> 3) {
                $bits[$prefix] .= str_repeat("\0", ($number >> 3) + 65_536 - strlen($bits[$prefix]));
            }

            $isSeen = (ord($bits[$prefix][$number >> 3]) & 1 << ($number & 7)) !== 0;
            $bits[$prefix][$number >> 3] = chr(ord($bits[$prefix][$number >> 3]) | 1 << ($number & 7));
            $events += $isSeen ? 0 : 1;
            $double += $isSeen ? 1 : 0;
        }

        return ['events' => $events, 'double' => $double];
    }

    public function remove(): void
    {
        $this->ask('DELETE', "/{$this->name}");
    }

    /** @return Generator<int, string> the event's id of each document */
    private function each(): Generator
    {
        $this->ask('POST', "/{$this->name}/_refresh");
        $page = $this->ask(
            'POST',
            "/{$this->name}/_search?scroll=1m",
            ['size' => self::PAGE, '_source' => ['id'], 'sort' => ['_doc']],
        );

        while (($hits = $page['hits']['hits']) !== []) {
            foreach ($hits as $hit) {
                yield $hit['_source']['id'];
            }

            $page = $this->ask('POST', '/_search/scroll', ['scroll' => '1m', 'scroll_id' => $page['_scroll_id']]);
        }
    }

    /**
     * @param array<string, mixed> $body
     * @return array<string, mixed>
     */
    private function ask(string $method, string $path, array $body = []): array
    {
        $context = stream_context_create(['http' => [
            'method' => $method,
            'header' => 'Content-Type: application/json',
            'content' => $body === [] ? '' : json_encode($body, JSON_THROW_ON_ERROR),
            'ignore_errors' => true,
            'timeout' => 60,
        ]]);
        $answer = json_decode((string) file_get_contents($this->url.$path, false, $context), true);

        return is_array($answer) && ! isset($answer['error'])
            ? $answer
            : throw new RuntimeException("{$method} {$path}: ".json_encode($answer));
    }
}
