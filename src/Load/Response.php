<?php

declare(strict_types=1);

namespace Headroom\Load;

final readonly class Response
{
    /**
     * @param int $status 0 if no status line arrived; a failed transfer can have one
     * @param ?Failure $failure null if a complete response arrived, with any status, and contains the expected text
     * @param int $micros from the start of the request, including the connect
     * @param int $bytes of the body
     * @param string $body its first bytes, as many as the plan keeps
     * @param bool $resent whether the request was sent twice, because a kept connection was closed without a response
     * @param int $waited microseconds from the moment at which the request was due to its start; 0 in the closed model
     * @param int $firstByte microseconds from the start of the request to the first byte of the response;
     *     0 if none came
     * @param int $connect microseconds of the connect; 0 on a kept connection
     * @param int $inFlight requests in flight at the end of this one, which is included
     * @param ?string $step of a scenario
     * @param ?bool $isGood whether the step succeeded; null without a scenario
     */
    public function __construct(
        public int $status,
        public ?Failure $failure,
        public int $micros,
        public int $bytes,
        public string $body,
        public bool $resent,
        public int $waited = 0,
        public int $firstByte = 0,
        public int $connect = 0,
        public int $inFlight = 1,
        public ?string $step = null,
        public ?bool $isGood = null,
    ) {}
}
