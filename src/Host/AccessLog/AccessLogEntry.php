<?php

declare(strict_types=1);

namespace Headroom\Host\AccessLog;

/**
 * A request that a web server logged.
 *
 * @internal
 */
final readonly class AccessLogEntry
{
    /**
     * @param string $client address or name
     * @param ?string $user as authenticated by the server
     * @param int $time Unix, when the answer was finished (nginx) or the request came (Apache)
     * @param ?string $method null if the client sent no request or an unreadable one
     * @param ?string $target path and query, or the unreadable text in their place
     * @param ?string $protocol such as "HTTP/1.1"; HTTP/0.9 has none
     * @param ?int $status null if the server logged none
     * @param ?int $bytes of the answer
     */
    public function __construct(
        public string $client,
        public ?string $user,
        public int $time,
        public ?string $method,
        public ?string $target,
        public ?string $protocol,
        public ?int $status,
        public ?int $bytes,
        public ?string $referer,
        public ?string $agent,
        public Timings $timings,
    ) {}
}
