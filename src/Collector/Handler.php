<?php

declare(strict_types=1);

namespace Headroom\Collector;

/**
 * Code of the application that a collector serves below a path prefix. It runs in the event loop that accepts events:
 * while it blocks, all clients wait. A handler that needs another server calls it through
 * HttpClient and responds later.
 */
interface Handler
{
    /**
     * Must return at once. The collector logs an exception and responds with 500.
     *
     * @param Responder $to the handler may keep it and respond later
     */
    public function handle(Request $request, Responder $to): void;
}
