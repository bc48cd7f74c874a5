<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Format;

use Generator;
use Headroom\Collector\Ingest\Json\JsonObject;
use Headroom\Collector\Ingest\Json\JsonSplitter;
use Headroom\Collector\Ingest\RequestError;
use Headroom\Collector\Request;
use Headroom\Spool\Bucket;

/**
 * The rows that Headroom's HTTP sink sends. A header names the bucket of the sender. Each row has an `_id` that is
 * unique on all machines and the same in every retry.
 *
 * @internal
 */
final readonly class ForwardedRows implements EventFormat
{
    public const HEADER = 'headroom-bucket';

    public function __construct(private JsonObject $objects) {}

    public static function isIn(Request $request): bool
    {
        return isset($request->headers[self::HEADER])
            && $request->path === '/v1/events'
            && Bucket::isName($request->headers[self::HEADER]);
    }

    public function events(Request $request, string $body, int $limit): Generator
    {
        if (($type = MediaType::of($request)) !== 'application/json') {
            throw RequestError::mediaType($type, 'application/json, for the rows of a buffer,', 'application/json');
        }

        $reader = new ForwardedRow($this->objects, $request->headers[self::HEADER]);

        foreach (JsonSplitter::eachItem($body) as $row) {
            yield EventOrError::of($reader, $row, $limit);
        }

        return '';
    }
}
