<?php

declare(strict_types=1);

namespace Headroom\Collector\Intake\Format;

use Headroom\Collector\Intake\Batch;
use Headroom\Collector\Intake\Refused;
use Headroom\Collector\Request;

/**
 * How the events of a request are found in it.
 *
 * @internal
 */
interface Format
{
    /**
     * @param string $body without its content coding
     *
     * @throws Refused
     */
    public function read(Request $request, string $body, Batch $batch): void;
}
