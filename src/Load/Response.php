<?php

declare(strict_types=1);

namespace Headroom\Load;

final readonly class Response
{
    /**
     * @param int $status 0 when no status line arrived; a failed transfer can have one
     * @param ?Failure $failure of the transfer; null when an answer arrived whole, whatever its status
     * @param int $micros from the start of the request, connecting included
     * @param int $bytes of the body
     * @param string $body its first bytes, as many as the plan keeps
     * @param bool $resent whether it went out twice: it is repeated when a kept connection is closed
     *                     without an answer
     * @param int $waited microseconds that it began after it was due; always 0 in the closed model
     * @param int $firstByte microseconds from the start of the request to the first byte of its answer;
     *     0 when none came
     * @param int $connect microseconds that connecting took; 0 on a connection that was kept
     * @param int $inFlight how many were in flight when it ended, it included
     * @param ?string $step of a scenario
     * @param ?bool $isGood whether that step counts it as a success; null without a scenario
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
