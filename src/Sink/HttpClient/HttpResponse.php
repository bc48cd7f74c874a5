<?php

declare(strict_types=1);

namespace Headroom\Sink\HttpClient;

/**
 * What a server answered.
 *
 * @internal
 */
final readonly class HttpResponse
{
    /**
     * @param string $body as it was sent, without decompression, and no more of it than was asked for
     * @param bool $isCut there was more
     * @param ?string $retryAfter the header
     * @param ?string $date the header: the server's own clock
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

    /** It is about this moment, and not about what was sent. */
    public static function isBusy(int $status): bool
    {
        return in_array($status, [408, 425, 429], true) || ($status >= 500 && $status < 600);
    }
}
