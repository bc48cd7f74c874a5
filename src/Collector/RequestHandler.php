<?php

declare(strict_types=1);

namespace Headroom\Collector;

use Headroom\Spool\UnableToAppend;

/**
 * Turns requests into events and responses. The server appends the events before it sends the response.
 *
 * @internal
 */
interface RequestHandler
{
    /** @param int $now microseconds since the Unix epoch */
    public function ingest(Request $request, int $now): IngestResult;

    /** @return Response for a request whose events the buffer refused */
    public function appendFailed(UnableToAppend $failure, Request $request): Response;

    /** @return non-empty-list<string> buckets that a result may name */
    public function buckets(): array;
}
