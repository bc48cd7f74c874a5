<?php

declare(strict_types=1);

namespace Headroom\Tests\Support\OpenSearch;

use Headroom\Sink\Elasticsearch\ClusterClient;
use Headroom\Sink\Elasticsearch\ElasticsearchOptions;
use Headroom\Sink\Elasticsearch\IndexSetup;
use Headroom\Sink\HttpClient\HttpClient;
use Headroom\Sink\SchemaOptions;
use Headroom\Support\ConfigReader;
use PHPUnit\Framework\Assert;
use RuntimeException;

/**
 * Data streams for events in a real OpenSearch.
 */
final readonly class EventStreams
{
    private function __construct(public string $url) {}

    public static function get(): self
    {
        return new self(OpenSearchServer::get()->url);
    }

    /** Options of a bucket that goes to a data stream made as `collect:install` makes it. */
    public function installed(string $stream): ConfigReader
    {
        $options = new ConfigReader(['url' => $this->url, 'index' => $stream], 'spool.buckets.events');
        $read = ElasticsearchOptions::from($options);
        (new IndexSetup($read, new ClusterClient($read, new HttpClient)))->run(new SchemaOptions);

        return $options;
    }

    /** @param list<array<string, mixed>> $documents */
    public function fill(string $index, array $documents): void
    {
        foreach (array_chunk($documents, 5_000) as $chunk) {
            $lines = array_map(
                static fn (array $document): string => '{"create":{}}'."\n".json_encode($document, JSON_THROW_ON_ERROR)
                    ."\n",
                $chunk,
            );
            $answer = $this->send(
                'POST',
                "/{$index}/_bulk?filter_path=errors,items.*.error",
                implode('', $lines),
                'application/x-ndjson',
            );
            Assert::assertSame(['errors' => false], $answer);
        }

        $this->send('POST', "/{$index}/_refresh");
    }

    public function remove(string $stream): void
    {
        $this->send('DELETE', "/_data_stream/{$stream}");
        $this->send('DELETE', "/_index_template/headroom-{$stream}");
    }

    /** @return array<array-key, mixed> */
    public function send(string $method, string $path, string $body = '', string $type = 'application/json'): array
    {
        $answer = file_get_contents($this->url.$path, context: stream_context_create(['http' => [
            'method' => $method, 'content' => $body, 'header' => "Content-Type: {$type}\r\nConnection: close\r\n",
            'ignore_errors' => true, 'timeout' => 60,
        ]]));
        $read = json_decode((string) $answer, true);

        return is_array($read) ? $read : throw new RuntimeException("{$method} {$path}: {$answer}");
    }
}
