<?php

declare(strict_types=1);

namespace Headroom\Collector;

/**
 * Code of the application's own that a collector serves below a path prefix, in the loop that takes events: whatever in
 * it waits, every client waits for. What takes its time is asked through HttpClient and answered later.
 */
interface Handler
{
    /**
     * Returns at once. An exception is answered with 500 and logged.
     *
     * @param Responder $to may be kept, and answered whenever there is an answer
     */
    public function handle(Request $request, Responder $to): void;
}
