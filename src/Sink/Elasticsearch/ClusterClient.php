<?php

declare(strict_types=1);

namespace Headroom\Sink\Elasticsearch;

use Headroom\Sink\HttpClient\Endpoint;
use Headroom\Sink\HttpClient\HttpClient;
use Headroom\Sink\UnableToDeliver;
use Headroom\Support\TerminalText;

/**
 * Administers a cluster: small JSON requests, one at a time.
 *
 * @internal
 */
final class ClusterClient
{
    private const ANSWER_BYTES = 4_194_304;

    private const REASON_BYTES = 400;

    public function __construct(private readonly ElasticsearchOptions $options, private readonly HttpClient $client) {}

    public function endpoint(): Endpoint
    {
        return $this->options->nodes[0];
    }

    /**
     * @return ?array<mixed> null if the object does not exist
     *
     * @throws UnableToDeliver
     */
    public function get(string $path): ?array
    {
        [$status, $answer, $message] = $this->request('GET', $path);

        return match (true) {
            $status === 200 => $answer,
            $status === 404 => null,
            default => throw UnableToSetUp::refused($this->endpoint(), "GET {$path}", $status, $message),
        };
    }

    /**
     * True if the cluster has this API: a cluster without the plugin has no handler for the path.
     *
     * @throws UnableToDeliver
     */
    public function supports(string $path): bool
    {
        [$status, , $message] = $this->request('GET', $path);

        return ! in_array($status, [400, 405, 500], true) || ! str_contains($message, 'no handler found');
    }

    /**
     * @param ?array<mixed> $body
     *
     * @throws UnableToDeliver
     */
    public function put(string $path, ?array $body): void
    {
        [$status, , $message] = $this->request('PUT', $path, $body);

        if ($status < 200 || $status > 299) {
            throw UnableToSetUp::refused($this->endpoint(), "PUT {$path}", $status, $message);
        }
    }

    /**
     * @return array{string, string} the distribution, `opensearch` or `elasticsearch`, and its version
     *
     * @throws UnableToDeliver
     */
    public function version(): array
    {
        $version = $this->get('/')['version'] ?? null;
        $number = is_array($version) ? $version['number'] ?? null : null;

        if (! is_array($version) || ! is_string($number)) {
            throw UnableToSetUp::notElasticsearch($this->endpoint());
        }

        return [($version['distribution'] ?? '') === 'opensearch' ? 'opensearch' : 'elasticsearch', $number];
    }

    /**
     * @param ?array<mixed> $body
     * @return array{int, array<mixed>, string} status, body and error message
     *
     * @throws UnableToDeliver
     */
    private function request(string $method, string $path, ?array $body = null): array
    {
        $headers = [...$this->options->headers, ...$body === null ? [] : ['Content-Type' => 'application/json']];
        $text = $body === null ? '' : json_encode($body, JSON_THROW_ON_ERROR | JSON_UNESCAPED_SLASHES);
        $answer = $this->client->send(
            $method,
            $this->endpoint()->at($path),
            $headers,
            $text,
            $this->options->timeout,
            static fn (): int => self::ANSWER_BYTES,
        );
        $document = json_decode($answer->body, true, 64);
        $document = is_array($document) ? $document : [];
        $error = $document['error'] ?? '';
        $message = is_array($error)
            ? (is_string($error['type'] ?? null) ? "{$error['type']}: " : '')
                .(is_string($error['reason'] ?? null) ? $error['reason'] : '')
            : (is_string($error) ? $error : '');

        return [$answer->status, $document, TerminalText::name($message, self::REASON_BYTES)];
    }
}
