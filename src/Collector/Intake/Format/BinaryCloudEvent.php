<?php

declare(strict_types=1);

namespace Headroom\Collector\Intake\Format;

use Headroom\Collector\Intake\Batch;
use Headroom\Collector\Intake\Json\Members;
use Headroom\Collector\Request;

use function str_starts_with;
use function substr;

/**
 * A CloudEvent in binary mode: its attributes are headers, its body is its data.
 *
 * @internal
 */
final readonly class BinaryCloudEvent implements Format
{
    public function __construct(private Members $members) {}

    public function read(Request $request, string $body, Batch $batch): void
    {
        $attributes = [];

        foreach ($request->headers as $name => $value) {
            if (str_starts_with($name, 'ce-')) {
                $attributes[substr($name, 3)] = $value;
            }
        }

        $batch->offer($body, new BinaryData($this->members, $attributes, $request->headers['content-type'] ?? ''));
    }
}
