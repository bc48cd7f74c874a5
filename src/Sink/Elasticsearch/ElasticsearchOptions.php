<?php

declare(strict_types=1);

namespace Headroom\Sink\Elasticsearch;

use Headroom\Sink\DeduplicationKey;
use Headroom\Sink\HttpClient\Endpoint;
use Headroom\Sink\HttpClient\HeaderOptions;
use Headroom\Support\ConfigReader;
use Headroom\Support\InvalidConfig;
use SensitiveParameter;

/**
 * The settings of a bucket with the Elasticsearch sink. No message contains a secret.
 *
 * @internal
 */
final readonly class ElasticsearchOptions
{
    private const KEYS = ['url', 'index', 'auth', 'headers', 'timeout', 'timestamp', 'id'];

    /** Headers that the sink sets itself, and headers of the connection. */
    private const RESERVED = [
        'accept', 'connection', 'content-encoding', 'content-length', 'content-type', 'expect', 'host', 'te',
        'trailer', 'transfer-encoding', 'upgrade',
    ];

    private const MAX_NODES = 64;

    /**
     * @param non-empty-list<Endpoint> $nodes
     * @param array<string, string> $headers
     * @param int $timeout seconds for one request
     * @param string $timestamp the column with the event's own time
     * @param non-empty-list<string> $id columns that identify an event
     */
    private function __construct(
        public array $nodes,
        public IndexName $index,
        #[SensitiveParameter] public array $headers,
        public int $timeout,
        public string $timestamp,
        public array $id,
    ) {}

    /** @throws InvalidConfig */
    public static function from(ConfigReader $options): self
    {
        $options->only(self::KEYS);
        $auth = HeaderOptions::auth($options);
        $headers = HeaderOptions::read(
            $options,
            $auth === [] ? self::RESERVED : [...self::RESERVED, 'authorization'],
            ['User-Agent' => 'Headroom'],
        );
        $id = $options->names('id') ?? DeduplicationKey::EVENT;

        return new self(
            self::nodes($options),
            IndexName::parse("{$options->path}.index", $options->string('index')),
            [...$headers, ...$auth, 'Accept' => 'application/json'],
            $options->int('timeout', 1, 300, 30),
            $options->string('timestamp', 'time'),
            $id !== []
                ? $id
                : throw InvalidConfig::notAllowed(
                    "{$options->path}.id",
                    'empty',
                    "a list of at least one column, such as ['source', 'id']",
                ),
        );
    }

    /**
     * @return non-empty-list<Endpoint>
     *
     * @throws InvalidConfig
     */
    private static function nodes(ConfigReader $options): array
    {
        $given = $options->all()['url'] ?? null;
        $path = "{$options->path}.url";
        $urls = is_array($given) && array_is_list($given) && $given !== [] ? $given : [$given];
        $nodes = [];

        foreach ($urls as $number => $url) {
            $node = is_array($given)
                ? Endpoint::fromOptions(
                    new ConfigReader([$number => is_string($url) ? $url : null], $path),
                    (string) $number,
                )
                : Endpoint::fromOptions($options, 'url');

            if (! $node->isBase()) {
                throw InvalidConfig::notShown(
                    is_array($given) ? "{$path}.{$number}" : $path,
                    'the address of the server without ? and #, such as https://search.example.com:9200',
                );
            }

            $nodes[] = $node;
        }

        return count($nodes) <= self::MAX_NODES
            ? $nodes
            : throw InvalidConfig::notShown($path, 'at most '.self::MAX_NODES.' addresses');
    }
}
