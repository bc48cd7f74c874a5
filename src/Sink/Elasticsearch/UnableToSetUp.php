<?php

declare(strict_types=1);

namespace Headroom\Sink\Elasticsearch;

use Headroom\Core\Permanent;
use Headroom\Sink\HttpClient\Endpoint;
use Headroom\Sink\UnableToDeliver;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * The cluster rejected a step in creating the index.
 *
 * @internal catch Headroom\Sink\UnableToDeliver
 */
final class UnableToSetUp extends RuntimeException implements Permanent, UnableToDeliver
{
    private function __construct(string $message)
    {
        parent::__construct(TerminalText::line($message));
    }

    public static function refused(Endpoint $node, string $request, int $status, string $message): self
    {
        return new self(
            "{$node->origin} answered {$request} with HTTP {$status}".($message === '' ? '' : ': '.rtrim($message, '.'))
                .'. '.match (true) {
                    in_array($status, [401, 403], true) => "Correct the bucket's 'auth'; its user needs the privileges"
                        .' to manage index templates, data streams and retention.',
                    default => 'Fix that and run the command again: it creates nothing twice.',
                },
        );
    }

    public static function notElasticsearch(Endpoint $from): self
    {
        return new self(
            "{$from->origin} does not answer as Elasticsearch or OpenSearch: GET / has no version."
                ." Correct the bucket's 'url', or check the proxies on the way.",
        );
    }
}
