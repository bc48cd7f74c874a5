<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Format;

use Generator;
use Headroom\Collector\Ingest\Json\JsonObject;
use Headroom\Collector\Request;

use function str_starts_with;
use function substr;

/**
 * A CloudEvent in binary mode: the headers have its attributes, the body is its data.
 *
 * @internal
 */
final readonly class BinaryCloudEvent implements EventFormat
{
    public function __construct(private JsonObject $objects) {}

    public function events(Request $request, string $body, int $limit): Generator
    {
        $attributes = [];

        foreach ($request->headers as $name => $value) {
            if (str_starts_with($name, 'ce-')) {
                $attributes[substr($name, 3)] = $value;
            }
        }

        $reader = new BinaryCloudEventReader($this->objects, $attributes, $request->headers['content-type'] ?? '');

        yield EventOrError::of($reader, $body, $limit);

        return '';
    }
}
