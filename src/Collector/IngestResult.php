<?php

declare(strict_types=1);

namespace Headroom\Collector;

/**
 * The response to a request, and the events that must be in the buffer before it is sent.
 *
 * @internal
 */
final readonly class IngestResult
{
    /**
     * @param string $bucket empty if there are no events
     * @param string $lines the events as Codec encodes them, joined by line feeds, for Bucket::append()
     * @param int<0, max> $count number of events
     * @param ?DeadLetters $deadLetters appended after the response, which does not depend on them
     * @param array<string, int<1, max>> $rejections number of rejected events or requests by ErrorCode, for the metrics
     */
    public function __construct(
        public Response $response,
        public string $bucket = '',
        public string $lines = '',
        public int $count = 0,
        public ?DeadLetters $deadLetters = null,
        public array $rejections = [],
    ) {}

    /** @param array<string, string> $headers that the response does not have yet */
    public function withHeaders(array $headers): self
    {
        return new self(
            $this->response->withHeaders($headers),
            $this->bucket,
            $this->lines,
            $this->count,
            $this->deadLetters,
            $this->rejections,
        );
    }
}
