<?php

declare(strict_types=1);

namespace Headroom\Sink\HttpClient;

use Headroom\Core\Permanent;
use Headroom\Sink\NamesCause;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * The server took the request, but its response does not say whether it stored the events.
 *
 * @internal catch Headroom\Sink\UnableToDeliver
 */
final class UnreadableAnswer extends RuntimeException implements NamesCause, Permanent
{
    private function __construct(private readonly string $cause, string $nextStep = '')
    {
        parent::__construct(TerminalText::line(rtrim("{$cause} {$nextStep}")));
    }

    public function cause(): string
    {
        return $this->cause;
    }

    /** @param string $seen the problem, without any text of the body: it may quote the events */
    public static function multiStatus(Endpoint $to, string $seen, int $events): self
    {
        return new self(
            "{$to->origin} answered with HTTP 207, but {$seen}. Return a JSON list of {$events} statuses in the order"
                .' of the events (docs/uses/outgoing-calls.md), or 200 if all were stored.',
            'The flusher sends them again with the same ids.',
        );
    }

    /** @param string $seen the problem, without any text of the body: it may quote the events */
    public static function bulk(Endpoint $from, int $status, string $seen): self
    {
        return new self(
            "{$from->origin} answered with HTTP {$status}, but {$seen}. Check that the address leads to Elasticsearch"
                .' or OpenSearch, and check the proxies in between.',
            'The flusher sends the documents again with the same ids.',
        );
    }

    public static function insert(Endpoint $from, int $status): self
    {
        return new self(
            "{$from->origin} answered with HTTP {$status} but not as ClickHouse answers an insert."
                .' Check that the address leads to its HTTP interface, and check the proxies in between.',
            'The flusher sends the rows again with the same ids.',
        );
    }
}
