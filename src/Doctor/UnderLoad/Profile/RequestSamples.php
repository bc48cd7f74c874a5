<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Profile;

use Headroom\Doctor\Fpm\Status\JsonFields;

/**
 * The samples of one request.
 *
 * @internal
 */
final readonly class RequestSamples
{
    /**
     * @param int $cpuMicros CPU time of the process for it
     * @param list<JsonFields> $functions
     */
    private function __construct(public int $samples, public int $cpuMicros, public array $functions) {}

    /** Null if the line is incomplete: the process still writes it, or has died. */
    public static function fromLine(string $line): ?self
    {
        $values = json_decode($line, true, 16);

        if (! is_array($values)) {
            return null;
        }

        $fields = new JsonFields($values);
        $samples = $fields->count('samples');
        $cpu = $fields->count('cpu_us');

        return $samples === null || $cpu === null ? null : new self($samples, $cpu, $fields->objects('functions'));
    }
}
