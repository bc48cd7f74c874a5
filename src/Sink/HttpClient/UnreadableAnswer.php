<?php

declare(strict_types=1);

namespace Headroom\Sink\HttpClient;

use Headroom\Core\Permanent;
use Headroom\Sink\NamesCause;
use Headroom\Support\TerminalText;
use RuntimeException;

/**
 * The server has taken the request, and what became of the events can not be told from its answer.
 *
 * @internal catch Headroom\Sink\UnableToDeliver
 */
final class UnreadableAnswer extends RuntimeException implements NamesCause, Permanent
{
    private function __construct(private readonly string $cause, string $outlook = '')
    {
        parent::__construct(TerminalText::line(rtrim("{$cause} {$outlook}")));
    }

    public function cause(): string
    {
        return $this->cause;
    }

    /** @param string $seen without anything of the body: it may quote the events */
    public static function multiStatus(Endpoint $to, string $seen, int $events): self
    {
        return new self("{$to->shown} answered with HTTP 207, but {$seen}. Expected is a JSON list with a status for each of the {$events} events, in their order (docs/uses/outgoing-calls.md); a server that has taken all of them answers with 200.", 'The events go there again with the same ids.');
    }

    /** @param string $seen without anything of the body: it may quote the events */
    public static function bulk(Endpoint $from, int $status, string $seen): self
    {
        return new self("{$from->shown} answered with HTTP {$status}, but {$seen}. So it is not known what it has stored. Check that this is the address of Elasticsearch or OpenSearch, and what stands between.", 'The documents go there again with the same ids.');
    }

    public static function insert(Endpoint $from, int $status): self
    {
        return new self("{$from->shown} answered with HTTP {$status} and something else than ClickHouse says to an insert. So it is not known whether the rows are there. Check that this is the address of its HTTP interface, and what stands between.", 'They go there again with the same ids.');
    }
}
