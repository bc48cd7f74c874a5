<?php

declare(strict_types=1);

namespace Headroom\Collector;

use Headroom\Collector\Ingest\ErrorCode;

/**
 * What is to become of one request: an answer, and, where there are events in it, what must be in the buffer before the
 * answer may be sent.
 *
 * @internal
 */
final readonly class IngestResult
{
    /**
     * @param string $bucket where the events go; empty when there are none
     * @param string $lines the events as Codec writes them, joined by line feeds, for Bucket::append()
     * @param int<0, max> $count of them
     * @param ?DeadLetters $rejected to be appended as well, behind the answer and without regard to it
     * @param array<string, int<1, max>> $refusals how many events, or requests, were turned away, by ErrorCode:
     *     for the metrics
     */
    public function __construct(
        public Response $answer,
        public string $bucket = '',
        public string $lines = '',
        public int $count = 0,
        public ?DeadLetters $rejected = null,
        public array $refusals = [],
    ) {}
}
