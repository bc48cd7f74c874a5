<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Format;

use Headroom\Collector\Ingest\Batch;
use Headroom\Collector\Ingest\Json\JsonObject;
use Headroom\Collector\Request;

use function str_starts_with;
use function substr;

/**
 * A CloudEvent in binary mode: its attributes are headers, its body is its data.
 *
 * @internal
 */
final readonly class BinaryCloudEvent implements EventFormat
{
    public function __construct(private JsonObject $members) {}

    public function read(Request $request, string $body, Batch $batch): void
    {
        $attributes = [];

        foreach ($request->headers as $name => $value) {
            if (str_starts_with($name, 'ce-')) {
                $attributes[substr($name, 3)] = $value;
            }
        }

        $batch->offer($body, new BinaryCloudEventReader($this->members, $attributes, $request->headers['content-type'] ?? ''));
    }
}
