<?php

declare(strict_types=1);

namespace Headroom\Collector;

use Closure;
use Headroom\Spool\UnableToAppend;

/**
 * The intake as the server needs it.
 *
 * @internal
 */
final readonly class RequestHandler
{
    /**
     * @param Closure(Request, int): IngestResult $decide by the time in microseconds since the Unix epoch
     * @param Closure(UnableToAppend, ?Request): Response $notAppended
     * @param list<string> $buckets that decisions may name
     */
    public function __construct(public Closure $decide, public Closure $notAppended, public array $buckets) {}
}
