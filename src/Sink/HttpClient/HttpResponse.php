<?php

declare(strict_types=1);

namespace Headroom\Sink\HttpClient;

/**
 * The response of a server.
 *
 * @internal
 */
final readonly class HttpResponse
{
    /**
     * @param string $body as it was sent, not decompressed, up to the requested number of bytes
     * @param bool $isCut true if the body was longer
     * @param ?string $retryAfter the header Retry-After
     * @param ?string $date the header Date: the server's clock
     */
    public function __construct(
        public int $status,
        public string $body = '',
        public bool $isCut = false,
        public ?string $retryAfter = null,
        public ?string $date = null,
    ) {}

    public function isSuccess(): bool
    {
        return $this->status >= 200 && $this->status < 300;
    }

    /** True if the status describes the server's load at this moment and not the request. */
    public static function isBusy(int $status): bool
    {
        return in_array($status, [408, 425, 429], true) || ($status >= 500 && $status < 600);
    }
}
