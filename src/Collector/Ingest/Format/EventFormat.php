<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Format;

use Headroom\Collector\Ingest\Batch;
use Headroom\Collector\Ingest\RequestError;
use Headroom\Collector\Request;

/**
 * How the events of a request are found in it.
 *
 * @internal
 */
interface EventFormat
{
    /**
     * @param string $body without its content coding
     *
     * @throws RequestError
     */
    public function read(Request $request, string $body, Batch $batch): void;
}
